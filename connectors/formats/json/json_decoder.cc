#include "connectors/formats/json/json_decoder.h"

namespace weir {

namespace {

constexpr std::size_t kCacheLine = 64, kFetchedAhead = 1024;  // bytes

}  // namespace

JsonDecoder::JsonDecoder(const Schema& schema, const JsonOptions& options)
    : options_(options), object_(schema.fields(), options) {}

void JsonDecoder::decode(std::span<const std::string_view> records, std::span<ColumnBuilder> columns,
                         std::vector<DecodeError>& errors) {
  for (std::size_t next = 0; next < records.size();) {
    tokens_.clear();
    const std::size_t first = next;
    while (next < records.size() && records[next].size() <= options_.longest &&
           (next == first || tokens_.size() < options_.chunk))
      tokens_.add(records[next++]);
    if (next > first) {
      coming_ = records.subspan(next, std::min(records.size() - next, next - first));
      read_chunk(first, columns, errors);
    } else {
      errors.push_back({next, fmt::format("a record of {} bytes is longer than the limit of {}", records[next].size(),
                                          options_.longest)});
      ++next;
    }
  }
}

void JsonDecoder::read_chunk(std::size_t first, std::span<ColumnBuilder> columns, std::vector<DecodeError>& errors) {
  if (!tokens_.index_all()) return read_one_by_one(first, columns, errors);
  const std::uint32_t* token = tokens_.tokens();
  const bool escapes = tokens_.have_escapes();
  for (const JsonTokens::Document& d : tokens_.documents()) {
    const std::string_view document = tokens_.text(d);
    fetch_ahead();
    cursor_.start(tokens_.base(), document.data(), token, escapes);
    if (!read_document(document, columns)) [[unlikely]]
      errors.push_back({first, reason(document)});
    token = cursor_.place();
    while (*token <= d.end + 1) ++token;  // the terminator, and all before it where reading failed
    ++first;
  }
}

/// Asks for a record of the next chunk: another thread wrote it, it lies far from this core, and while the documents of this
/// chunk are read it can come.
void JsonDecoder::fetch_ahead() {
  if (coming_.empty()) return;
  const std::string_view record = coming_.front();
  coming_ = coming_.subspan(1);
  for (std::size_t i = 0; i < std::min(record.size(), kFetchedAhead); i += kCacheLine) __builtin_prefetch(record.data() + i);
}

void JsonDecoder::read_one_by_one(std::size_t first, std::span<ColumnBuilder> columns, std::vector<DecodeError>& errors) {
  for (const JsonTokens::Document& d : tokens_.documents()) {
    const std::string_view document = tokens_.text(d);
    if (!tokens_.index_one(d)) {
      errors.push_back({first, why_no_tokens(document)});
    } else {
      cursor_.start(tokens_.base(), document.data(), tokens_.tokens(), true);
      if (!read_document(document, columns)) errors.push_back({first, reason(document)});
    }
    ++first;
  }
}

bool JsonDecoder::read_document(std::string_view document, std::span<ColumnBuilder> columns) {
  const char* end = document.data() + document.size();
  if (cursor_.now() != '{') [[unlikely]]
    return cursor_.mismatch(cursor_.here(), "an object");
  if (!(options_.whole_document ? read_whole_document(columns[0]) : object_.read(cursor_, columns))) return false;
  if (cursor_.here() == end + 1) [[likely]]
    return true;
  // Reading went past the end (into what follows the document), or did not reach it.
  cursor_.fail(cursor_.here(), "");
  if (cursor_.here() < end)
    cursor_.fail(cursor_.here(), fmt::format("{} behind the object at byte {}", describe_json(cursor_.here()),
                                             cursor_.offset(cursor_.here())));
  for (ColumnBuilder& column : columns) column.pop();
  return false;
}

bool JsonDecoder::read_whole_document(ColumnBuilder& column) {
  const std::uint32_t* first = cursor_.place();
  if (!cursor_.skip()) return false;
  column.append_text(cursor_.skipped(first));
  return true;
}

std::string JsonDecoder::reason(std::string_view document) {
  JsonCursor::Failure f = cursor_.take_failure();
  const std::string field = f.path.empty() ? "" : fmt::format("field {}: ", f.path);
  if (document.find_first_not_of(" \t\r\n") == std::string_view::npos) return "an empty record, expected an object";
  if (f.at > document.data() + document.size())
    return fmt::format("{}truncated: the object has no end, after {} bytes", field, document.size());
  return field + f.text;
}

}  // namespace weir
