#include "connectors/formats/csv/csv.h"
#include "runtime/data/json_text.h"

namespace weir {

void CsvEncoder::append_field(Buffer& out, std::string_view text, const CsvOptions& options, bool alone) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  const char special[] = {'"', '\r', '\n', options.delimiter};
  const bool plain = text != options.null_text && !(alone && text.empty()) && !text.starts_with(kByteOrderMark) &&
                     text.find_first_of({special, sizeof special}) == std::string_view::npos;
  if (plain) {
    out.append(text.data(), text.size());
    return;
  }
  out.push('"');
  for (char c : text) {
    if (c == '"') out.push('"');
    out.push(c);
  }
  out.push('"');
}

void CsvEncoder::encode(const RecordBatch& batch, Buffer& out, std::vector<std::size_t>& ends) {
  for (std::int64_t i = 0; i < batch.rows(); ++i) {
    bool first = true;
    for (int index : columns_) {
      if (!std::exchange(first, false)) out.push(options_.delimiter);
      const Column& column = batch.column(index);
      if (!column.valid(i)) {
        out.append(options_.null_text.data(), options_.null_text.size());
        continue;
      }
      scratch_.clear();
      const bool as_json = !column.type().children().empty() || column.type().kind() == TypeKind::kJson;
      as_json ? append_json(scratch_, column, i) : append_value(scratch_, column, i);
      append_field(out, scratch_, options_, columns_.size() == 1);
    }
    ends.push_back(out.size());
  }
}

}  // namespace weir
