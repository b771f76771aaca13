#include "runtime/config/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>
#include <sstream>
#include <unordered_map>

#include "runtime/config/raw_text.h"
#include "runtime/config/scalar_offsets.h"
#include "runtime/config/yaml_events.h"
#include "runtime/config/yaml_traps.h"

namespace weir {
namespace {

/// Only looks whether there is another document.
class DocumentFinder final : public YAML::EventHandler {
 public:
  std::optional<std::size_t> start;

  void OnDocumentStart(const YAML::Mark& mark) override { start = static_cast<std::size_t>(std::max(mark.pos, 0)); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

std::size_t offset_of(const YAML::Mark& mark, std::size_t base, std::size_t size) {
  return mark.pos < 0 ? size : base + static_cast<std::size_t>(mark.pos);
}

void refuse_second_document(YAML::Parser& parser, const std::shared_ptr<const SourceText>& source, std::size_t base,
                            Diagnostics& diagnostics) {
  DocumentFinder finder;
  try {
    if (!parser.HandleNextDocument(finder)) return;
  } catch (const YAML::Exception& e) {
    if (!finder.start) return explain_yaml_error(source, offset_of(e.mark, base, source->text().size()), e.msg, diagnostics);
  }
  const std::size_t start = base + finder.start.value_or(0);
  if (source->text().substr(std::min(start, source->text().size())).starts_with("---"))
    return diagnostics.error(Location(source, start), "a second document begins here",
                             "a pipeline file is one YAML document; put each into a file of its own");
  explain_yaml_error(source, start, YAML::ErrorMsg::END_OF_MAP, diagnostics);
}

}  // namespace

std::optional<Node> parse_yaml(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics, std::size_t begin) {
  diagnostics.hide_secrets(source);
  if (!check_raw_text(source, diagnostics)) return std::nullopt;
  const std::string_view text = source->text();
  const std::size_t base = begin == 0 && text.starts_with("\xEF\xBB\xBF") ? 3 : std::min(begin, text.size());
  std::istringstream stream{std::string(text.substr(base))};
  const std::size_t errors_before = diagnostics.errors();
  YamlEvents events(source, base, diagnostics);
  try {
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(events)) refuse_second_document(parser, source, base, diagnostics);
  } catch (const YamlRefused& e) {
    diagnostics.error(Location(source, e.offset), e.text, e.hint);
    return std::nullopt;
  } catch (const YAML::Exception& e) {
    explain_yaml_error(source, offset_of(e.mark, base, text.size()), e.msg, diagnostics);
    return std::nullopt;
  }
  std::optional<Node> root = events.take_root();
  if (!root && diagnostics.errors() == errors_before) diagnostics.error(Location(source, base), "the file is empty");
  return root;
}

}  // namespace weir
