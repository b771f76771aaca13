#pragma once
#include <yaml-cpp/eventhandler.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/diagnostics.h"
#include "runtime/config/node.h"

namespace weir {

/// Thrown out of the parser where it makes no sense to go on.
struct YamlRefused {
  std::size_t offset;
  std::string text;
  std::string hint;
};

/// Builds the tree of nodes from the parser's events, and reports what is YAML but not meant in a pipeline file.
class YamlEvents final : public YAML::EventHandler {
 public:
  /// `base` is the offset in the source of the parser's first byte.
  YamlEvents(std::shared_ptr<const SourceText> source, std::size_t base, Diagnostics& diagnostics);

  /// The root, or nullopt where the document was empty.
  std::optional<Node> take_root();

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override;

 private:
  struct Frame {
    Node node;
    std::optional<Node> key;  ///< of a mapping: the key whose value comes next
  };

  std::size_t offset(const YAML::Mark& mark) const;
  Location place(std::size_t offset) const { return Location(source_, offset); }
  void count_node(std::size_t offset);
  void begin(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::EmitterStyle::value style);
  void end();
  Node scalar(std::size_t offset, const std::string& value) const;
  bool is_written_null(std::size_t offset) const;
  bool refuse_tag(std::size_t offset, const std::string& tag);
  bool wants_key() const { return !frames_.empty() && frames_.back().node.is_mapping() && !frames_.back().key; }
  void finish(Node node);
  void finish_key(Node node);

  std::shared_ptr<const SourceText> source_;
  std::size_t base_;
  Diagnostics& diagnostics_;
  std::vector<Frame> frames_;
  std::optional<Node> root_;
  std::size_t nodes_ = 0;
};

}  // namespace weir
