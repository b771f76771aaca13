#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/config/source_text.h"

namespace weir {

/// What a YAML scalar was written as.
enum class ScalarStyle { kPlain, kSingleQuoted, kDoubleQuoted, kBlock };

/// A value of the pipeline file with its position. Scalars are text: what they mean is up to the field they stand for.
///
/// A tree of plain values; copying copies the tree.
class Node {
 public:
  enum class Kind {
    kEmpty,     ///< nothing was written (`key:`)
    kScalar,    ///< text()
    kMapping,   ///< entries(), in the order of the file
    kSequence,  ///< items()
  };
  struct Entry;

  Kind kind = Kind::kEmpty;
  Location location;    ///< of the first byte; for scalars maps offsets of the value
  std::size_t end = 0;  ///< offset of the first raw byte after a scalar
  bool flow = false;    ///< a mapping or sequence written with { } or [ ]
  ScalarStyle style = ScalarStyle::kPlain;
  std::string text;       ///< of a scalar, with variables substituted
  std::string written;    ///< of a scalar before substitution; this is what messages show
  bool secret = false;    ///< the text holds a secret: never print `text`
  bool reported = false;  ///< what is wrong with it was reported: readers pass over it in silence
  Location key;           ///< of the key that it stands under; nowhere for the root and for items of lists
  std::vector<Entry> entries;
  std::vector<Node> items;

  bool is_empty() const { return kind == Kind::kEmpty; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_mapping() const { return kind == Kind::kMapping; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_plain() const { return is_scalar() && style == ScalarStyle::kPlain; }

  /// The value of a key of a mapping, or null.
  const Node* find(const std::string& key) const;
  const Entry* find_entry(const std::string& key) const;
  /// The scalar as a message may show it: as written, at most 60 characters, in single quotes.
  std::string shown() const;
  /// `text`, `a mapping`, `a list` or `nothing`.
  const char* kind_name() const;
  /// Where a message about the whole value points: its key if it has one, else its own beginning.
  const Location& place() const { return key.source() ? key : location; }
};

/// A key and its value.
struct Node::Entry {
  Node key;  ///< always a scalar
  Node value;
};

}  // namespace weir
