#include <algorithm>

#include "connectors/formats/csv/csv.h"
#include "connectors/formats/utf8.h"
#include "runtime/base/utf8.h"
#include "runtime/expr/text/utf8.h"

namespace weir {

namespace {

bool refuse(DecodeError& error, std::size_t at, std::string reason) {
  error.reason = std::move(reason);
  error.at = at;
  return false;
}

}  // namespace

CsvDecoder::CsvDecoder(const Schema& schema, CsvOptions options)
    : options_(std::move(options)), columns_(schema.fields()), width_(schema.fields().size()) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    readers_.emplace_back(columns_[i]);
    places_.push_back(i);
  }
}

void CsvDecoder::decode(std::span<const std::string_view> records, std::span<ColumnBuilder> columns,
                        std::vector<DecodeError>& errors) {
  for (std::size_t i = 0; i < records.size(); ++i)
    if (DecodeError error{.record = i}; !read_row(records[i], columns, error)) errors.push_back(std::move(error));
}

std::optional<std::string> CsvDecoder::take_header(std::string_view record) {
  if (DecodeError error{}; !split(record, error)) return "the header: " + error.reason;
  width_ = fields_.size();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const auto named = [&](const CsvField& f) { return f.text == columns_[c].name; };
    const auto found = std::find_if(fields_.begin(), fields_.end(), named);
    if (found == fields_.end()) return fmt::format("the header has no column {}: {}", columns_[c].name, record);
    if (std::find_if(found + 1, fields_.end(), named) != fields_.end())
      return fmt::format("the header names the column {} twice: {}", columns_[c].name, record);
    places_[c] = static_cast<std::size_t>(found - fields_.begin());
  }
  return std::nullopt;
}

bool CsvDecoder::read_row(std::string_view record, std::span<ColumnBuilder> columns, DecodeError& error) {
  if (!split(record, error)) return false;
  if (fields_.size() != width_) {
    error.reason = fmt::format("expected {} fields, found {}", width_, fields_.size());
    return false;
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (read_field(c, fields_[places_[c]], columns[c], error.reason)) continue;
    error.reason = fmt::format("field {}: {}", columns_[c].name, error.reason);
    while (c > 0) columns[--c].pop();
    return false;
  }
  return true;
}

bool CsvDecoder::read_field(std::size_t column, const CsvField& field, ColumnBuilder& out, std::string& reason) {
  if (field.quoted || field.text != options_.null_text) return readers_[column].read(field.text, out, reason);
  if (!columns_[column].nullable) return reason = "null, and declared not null", false;
  out.append_null();
  return true;
}

bool CsvDecoder::split(std::string_view record, DecodeError& error) {
  if (record.ends_with('\n')) record.remove_suffix(1);
  if (record.ends_with('\r')) record.remove_suffix(1);
  if (!is_utf8(record)) {
    const std::size_t at = first_invalid_utf8(record);
    return refuse(error, at, fmt::format("invalid UTF-8 at byte {}: {:#04x}", at, static_cast<unsigned char>(record[at])));
  }
  fields_.clear();
  unquoted_.clear();
  unquoted_.reserve(record.size());  // fields point into it
  for (std::size_t at = 0;;) {
    if (at < record.size() && record[at] == '"') {
      if (!split_quoted(record, at, error)) return false;
    } else {
      const std::size_t end = std::min(record.find(options_.delimiter, at), record.size());
      const std::string_view text = record.substr(at, end - at);
      const std::size_t odd = text.find_first_of("\"\r\n");
      if (odd != std::string_view::npos)
        return refuse(
            error, at + odd,
            fmt::format("{} outside of quotes at byte {}", text[odd] == '"' ? "a quote" : "a line break", at + odd));
      fields_.push_back({text, false});
      at = end;
    }
    if (at == record.size()) return true;
    ++at;  // over the delimiter
  }
}

bool CsvDecoder::split_quoted(std::string_view record, std::size_t& at, DecodeError& error) {
  const std::size_t start = unquoted_.size(), opened = at;
  for (++at;; ++at) {
    const std::size_t quote = record.find('"', at);
    if (quote == std::string_view::npos)
      return refuse(error, opened, fmt::format("truncated: the quote at byte {} is not closed", opened));
    unquoted_ += record.substr(at, quote - at);
    at = quote + 1;
    if (at == record.size() || record[at] != '"') break;
    unquoted_ += '"';
  }
  if (at < record.size() && record[at] != options_.delimiter)
    return refuse(error, at,
                  fmt::format("expected `{}` behind a closing quote, found `{}` at byte {}", options_.delimiter,
                              record.substr(at, expr::code_point_size(record, at)), at));
  fields_.push_back({std::string_view(unquoted_).substr(start), true});
  return true;
}

}  // namespace weir
