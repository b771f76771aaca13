#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

/// A place as people count: line and column from 1, the column in characters (UTF-8 code points), not bytes.
struct Position {
  int line = 1;
  int column = 1;
  bool operator==(const Position&) const = default;
};

/// The raw text of a pipeline file (or of a `--set`) with its name as shown in messages. Immutable.
class SourceText {
 public:
  SourceText(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  /// The place of a byte offset; one past the end is the end of the last line.
  Position position(std::size_t offset) const;
  /// The bytes of a line (from 1) without its end of line; empty past the last one.
  std::string_view line(int line) const;
  /// The byte offset at which a line (from 1) begins.
  std::size_t line_start(int line) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::size_t> starts_;  ///< byte offset of each line
};

/// Says for each byte of a scalar's value which byte of the raw text it came from.
///
/// A list of runs in rising order of value offsets: within a run both advance together, or (in `fixed` runs: an escape,
/// a substituted variable) every byte of the value came from the same place.
class OffsetMap {
 public:
  struct Run {
    std::size_t value;  ///< offset in the value at which the run begins
    std::size_t text;   ///< offset in the raw text
    bool fixed;         ///< true: the whole run came from `text`
  };
  /// Adds the mapping of the value's bytes from `value` on; merges with the run before it where that says the same.
  void add(std::size_t value, std::size_t text, bool fixed);
  /// The raw offset of a byte of the value.
  std::size_t text_offset(std::size_t value) const;
  /// Appends what this map says about the value bytes [begin, end) to `out`, as its bytes from `value` on.
  void copy(std::size_t begin, std::size_t end, OffsetMap& out, std::size_t value) const;
  bool empty() const { return runs_.empty(); }

 private:
  std::vector<Run> runs_;
};

/// A place in a source. Cheap to copy; keeps the source alive. Where it stands for a scalar it also knows where each byte
/// of the scalar's value came from, so that an error at an offset of an expression points into the file:
///
///     const Text& filter = config.expression("filter");
///     diagnostics.error(filter.location.at(error.offset), error.text);
class Location {
 public:
  Location() = default;
  Location(std::shared_ptr<const SourceText> source, std::size_t offset, std::shared_ptr<const OffsetMap> value = nullptr)
      : source_(std::move(source)), offset_(offset), value_(std::move(value)) {}

  /// The place of a byte of the scalar's value (its size: the end). Without a map: this place.
  Location at(std::size_t value_offset) const;
  Position position() const;
  /// `pipeline.yaml:7:12`; "" where there is no source.
  std::string to_string() const;

  const SourceText* source() const { return source_.get(); }
  const std::shared_ptr<const SourceText>& shared_source() const { return source_; }
  const OffsetMap* value_map() const { return value_.get(); }
  std::size_t offset() const { return offset_; }

 private:
  std::shared_ptr<const SourceText> source_;  ///< null: nowhere in particular
  std::size_t offset_ = 0;
  std::shared_ptr<const OffsetMap> value_;  ///< null: not a scalar
};

/// A text and where it was written.
struct Text {
  std::string text;
  Location location;
};

/// An entry of a mapping from names to texts: a column and its type, a column and its expression, a property.
struct NamedText {
  std::string name;
  Location name_location;
  std::string text;
  Location location;  ///< of the text
};

}  // namespace weir
