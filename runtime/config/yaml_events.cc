#include "runtime/config/yaml_events.h"

#include <fmt/format.h>
#include <yaml-cpp/mark.h>
#include <algorithm>
#include <unordered_map>

#include "runtime/config/scalar_offsets.h"
#include "runtime/config/yaml.h"
#include "runtime/config/yaml_traps.h"

namespace weir {

YamlEvents::YamlEvents(std::shared_ptr<const SourceText> source, std::size_t base, Diagnostics& diagnostics)
    : source_(std::move(source)), base_(base), diagnostics_(diagnostics) {}

std::optional<Node> YamlEvents::take_root() { return std::move(root_); }

std::size_t YamlEvents::offset(const YAML::Mark& mark) const {
  return std::min(base_ + static_cast<std::size_t>(std::max(mark.pos, 0)), source_->text().size());
}

void YamlEvents::count_node(std::size_t offset) {
  if (++nodes_ > kMostNodes)
    throw YamlRefused{offset, fmt::format("the file holds more than {} keys and values", kMostNodes),
                      "put rows of tests into files of their own"};
}

/// True if the parser's null is the word `null` or `~`, which is text here, and not a value that is missing. For a missing
/// one the mark is that of whatever comes next, or of the key.
bool YamlEvents::is_written_null(std::size_t offset) const {
  const std::string_view rest = source_->text().substr(offset);
  std::size_t length = 0;
  for (std::string_view word : {"null", "Null", "NULL", "~"})
    if (rest.starts_with(word)) length = word.size();
  if (length == 0) return false;
  if (wants_key() || frames_.empty() || !frames_.back().key) return true;
  if (offset < frames_.back().key->end) return false;
  // After a key: it is the next key where a colon follows.
  const std::size_t after = std::min(rest.find_first_not_of(" \t", length), rest.size());
  return after >= rest.size() || rest[after] != ':';
}

void YamlEvents::OnNull(const YAML::Mark& mark, YAML::anchor_t) {
  const std::size_t at = offset(mark);
  if (is_written_null(at)) {
    const std::string_view rest = source_->text().substr(at);
    return finish(scalar(at, std::string(rest.substr(0, rest.starts_with("~") ? 1 : 4))));
  }
  count_node(at);
  Node node;
  const bool has_key = !frames_.empty() && frames_.back().key;
  node.location = has_key ? frames_.back().key->location : place(at);
  node.end = has_key ? frames_.back().key->end : at;
  finish(std::move(node));
}

Node YamlEvents::scalar(std::size_t at, const std::string& value) const {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.style = style_at(source_->text(), at);
  node.text = node.written = value;
  ScalarOffsets offsets = map_scalar(source_->text(), at, node.style, value);
  node.end = offsets.end;
  if (!offsets.closed) throw YamlRefused{at, "this quote is never closed", kQuoteHint};
  node.location = Location(source_, at, std::make_shared<OffsetMap>(std::move(offsets.map)));
  return node;
}

void YamlEvents::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) {
  const std::size_t at = offset(mark);
  count_node(at);
  const bool is_tagged = refuse_tag(at, tag);
  Node node = scalar(at, value);
  node.reported = is_tagged;
  finish(std::move(node));
}

/// True if there was one.
bool YamlEvents::refuse_tag(std::size_t at, const std::string& tag) {
  if (tag.empty() || tag == "?" || tag == "!") return false;
  diagnostics_.error(place(at), "tags are not supported: YAML takes a value that begins with ! for one",
                     "quote the value, or leave the tag out: everything is text here");
  return true;
}

void YamlEvents::OnAnchor(const YAML::Mark& mark, const std::string& name) {
  diagnostics_.error(place(offset(mark)), fmt::format("anchors are not supported: '&{}'", name),
                     "write the value out where it is needed, or quote it if & is part of it");
}

void YamlEvents::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
  const std::size_t at = offset(mark);
  count_node(at);
  diagnostics_.error(place(at), "aliases are not supported: YAML takes a value that begins with * for one",
                     "write the value out, or quote it if * is part of it");
  Node node;
  node.location = place(at);
  node.end = at;
  node.reported = true;
  finish(std::move(node));
}

void YamlEvents::begin(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::EmitterStyle::value style) {
  const std::size_t at = offset(mark);
  count_node(at);
  refuse_tag(at, tag);
  if (frames_.size() >= static_cast<std::size_t>(kDeepestNesting))
    throw YamlRefused{at, fmt::format("nested too deeply: more than {} levels", kDeepestNesting), {}};
  Frame frame;
  frame.node.kind = kind;
  frame.node.location = place(at);
  frame.node.flow = style == YAML::EmitterStyle::Flow;
  frames_.push_back(std::move(frame));
}

void YamlEvents::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                                 YAML::EmitterStyle::value style) {
  begin(Node::Kind::kSequence, mark, tag, style);
}

void YamlEvents::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                            YAML::EmitterStyle::value style) {
  begin(Node::Kind::kMapping, mark, tag, style);
}

void YamlEvents::OnSequenceEnd() { end(); }
void YamlEvents::OnMapEnd() { end(); }

void YamlEvents::end() {
  Node node = std::move(frames_.back().node);
  frames_.pop_back();
  if (node.flow) rejoin_split_values(node, source_, diagnostics_);
  if (!wants_key()) repair_entries(node, source_, diagnostics_);
  refuse_duplicate_keys(node, diagnostics_);
  finish(std::move(node));
}

void YamlEvents::finish(Node node) {
  if (frames_.empty()) {
    if (!node.is_empty()) root_ = std::move(node);
    return;
  }
  Frame& frame = frames_.back();
  if (frame.node.is_sequence()) {
    frame.node.items.push_back(std::move(node));
  } else if (!frame.key) {
    finish_key(std::move(node));
  } else {
    node.key = frame.key->location;
    if (frame.key->is_scalar()) frame.node.entries.push_back({std::move(*frame.key), std::move(node)});
    frame.key.reset();
  }
}

/// A key that is no text is reported; its entry is dropped when its value is there.
void YamlEvents::finish_key(Node node) {
  if (node.is_empty() && !node.reported) {
    diagnostics_.error(node.location, "a key is missing before this colon");
  } else if (node.is_mapping() || node.is_sequence()) {
    diagnostics_.error(node.location, fmt::format("a key must be text, not {}", node.kind_name()),
                       "a value that begins with {{ or {[ must be quoted");
    frames_.back().node.reported = true;
  } else if (node.is_plain() && node.text == "<<") {
    diagnostics_.error(node.location, "merge keys are not supported: '<<'", "write the keys out where they are needed");
    node.kind = Node::Kind::kEmpty;
  }
  frames_.back().key = std::move(node);
}

void refuse_duplicate_keys(Node& mapping, Diagnostics& diagnostics) {
  std::unordered_map<std::string, Location> first;
  std::erase_if(mapping.entries, [&](const Node::Entry& entry) {
    const auto [known, is_new] = first.try_emplace(entry.key.text, entry.key.location);
    if (is_new) return false;
    if (diagnostics.full()) return true;
    const Position place = known->second.position();
    diagnostics.error(entry.key.location, fmt::format("duplicate key {}", entry.key.shown()),
                      fmt::format("the first one is in line {}, column {}", place.line, place.column));
    return true;
  });
}

}  // namespace weir
