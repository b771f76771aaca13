#include "runtime/config/override.h"

#include <fmt/format.h>
#include <charconv>
#include <memory>
#include <optional>

#include "runtime/config/raw_text.h"
#include "runtime/config/secret_names.h"
#include "runtime/config/yaml.h"

namespace weir {
namespace {

constexpr int kDeepestPath = 32;  ///< keys in a path

/// One `PATH=VALUE` on its way through the tree.
class Override {
 public:
  Override(const std::string& assignment, Diagnostics& diagnostics)
      : source_(std::make_shared<SourceText>("--set", assignment)), diagnostics_(diagnostics) {}

  void apply(Node& root) {
    const std::string_view text = source_->text();
    equals_ = text.find('=');
    diagnostics_.hide_secrets(source_);
    if (equals_ != std::string_view::npos && names_a_secret(text.substr(0, equals_)))
      diagnostics_.hide(Location(source_, equals_ + 1), text.size() - equals_ - 1);
    if (equals_ == std::string_view::npos || equals_ == 0)
      return fail(0, "this is not PATH=VALUE", "for example --set sources.bids.topic=bids_test");
    if (!check_raw_text(source_, diagnostics_)) return;
    const std::optional<Node> value = read_value();
    if (value) descend(root, 0, *value, 0);
  }

 private:
  std::optional<Node> read_value() {
    const std::string_view value = source_->text().substr(equals_ + 1);
    if (!value.empty() && std::string_view("[{\"'").find(value[0]) != std::string_view::npos)
      return parse_yaml(source_, diagnostics_, equals_ + 1);
    Node node;
    if (!value.empty()) node.kind = Node::Kind::kScalar;
    node.text = node.written = std::string(value);
    auto map = std::make_shared<OffsetMap>();
    map->add(0, equals_ + 1, false);
    node.location = Location(source_, equals_ + 1, std::move(map));
    node.end = source_->text().size();
    return node;
  }

  /// Puts the value below `node`, where the path from byte `at` on leads.
  void descend(Node& node, std::size_t at, const Node& value, int depth) {
    if (at > equals_) {
      Node replacement = value;
      replacement.key = Location(source_, last_key_);
      node = std::move(replacement);
      return;
    }
    if (depth > kDeepestPath) return fail(at, "the path is too long", {});
    if (node.is_sequence()) return descend_into_list(node, at, value, depth);
    if (node.is_scalar())
      return fail(at, fmt::format("the path leads into a text: '{}'", source_->text().substr(0, at ? at - 1 : 0)), {});
    last_key_ = at;
    if (Node::Entry* entry = longest_key(node, at))
      return descend(entry->value, at + entry->key.text.size() + 1, value, depth + 1);
    const std::string name = next_part(at);
    if (name.empty()) return fail(at, "a key is missing in the path", {});
    node.kind = Node::Kind::kMapping;
    node.entries.push_back({key_node(name, at), Node()});
    Node& made = node.entries.back().value;
    made.location = made.key = Location(source_, at);
    descend(made, at + name.size() + 1, value, depth + 1);
  }

  void descend_into_list(Node& list, std::size_t at, const Node& value, int depth) {
    const std::string part = next_part(at);
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (error != std::errc() || end != part.data() + part.size() || index >= list.items.size())
      return fail(at, fmt::format("the list has {} items, numbered from 0: '{}'", list.items.size(), part), {});
    descend(list.items[index], at + part.size() + 1, value, depth + 1);
  }

  /// The entry whose key the path goes on with: the longest one, since keys may hold dots.
  Node::Entry* longest_key(Node& node, std::size_t at) const {
    const std::string_view path = source_->text().substr(at, equals_ - at);
    Node::Entry* best = nullptr;
    for (Node::Entry& entry : node.entries) {
      const std::string& key = entry.key.text;
      const bool fits = path.starts_with(key) && (path.size() == key.size() || path[key.size()] == '.');
      if (fits && (!best || key.size() > best->key.text.size())) best = &entry;
    }
    return best;
  }

  std::string next_part(std::size_t at) const {
    const std::string_view path = source_->text().substr(at, equals_ - at);
    return std::string(path.substr(0, path.find('.')));
  }

  Node key_node(const std::string& name, std::size_t at) const {
    Node key;
    key.kind = Node::Kind::kScalar;
    key.text = key.written = name;
    key.location = Location(source_, at);
    key.end = at + name.size();
    return key;
  }

  void fail(std::size_t at, std::string text, std::string hint) {
    diagnostics_.error(Location(source_, at), std::move(text), std::move(hint));
  }

  std::shared_ptr<const SourceText> source_;
  Diagnostics& diagnostics_;
  std::size_t equals_ = 0;
  std::size_t last_key_ = 0;
};

}  // namespace

void apply_override(Node& root, const std::string& assignment, Diagnostics& diagnostics) {
  Override(assignment, diagnostics).apply(root);
}

}  // namespace weir
