#include "runtime/config/node.h"

namespace weir {

const Node::Entry* Node::find_entry(const std::string& key) const {
  for (const Entry& entry : entries)
    if (entry.key.text == key) return &entry;
  return nullptr;
}

const Node* Node::find(const std::string& key) const {
  const Entry* entry = find_entry(key);
  return entry ? &entry->value : nullptr;
}

std::string Node::shown() const {
  constexpr std::size_t kLongest = 60;
  std::string out;
  std::size_t characters = 0;
  for (char c : written) {
    if ((c & 0xC0) != 0x80 && ++characters > kLongest) return "'" + out + "...'";
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  return "'" + out + "'";
}

const char* Node::kind_name() const {
  switch (kind) {
    case Kind::kEmpty: return "nothing";
    case Kind::kScalar: return "text";
    case Kind::kMapping: return "a mapping";
    case Kind::kSequence: return "a list";
  }
  return "";
}

}  // namespace weir
