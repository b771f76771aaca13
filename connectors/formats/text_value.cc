#include "connectors/formats/text_value.h"

#include "connectors/formats/point_in_time.h"
#include "runtime/data/timestamp_text.h"
#include "runtime/expr/text/parse_value.h"

namespace weir {

TextValueReader::TextValueReader(const Field& field) {
  switch (field.type.kind()) {
    case TypeKind::kJson: any_json_ = true; [[fallthrough]];
    case TypeKind::kRow:
    case TypeKind::kArray:
    case TypeKind::kMap:
      json_ = std::make_unique<JsonFieldReader>(field, JsonOptions{});
      tokens_ = std::make_unique<JsonTokens>();
      break;
    case TypeKind::kDate:
    case TypeKind::kTimestamp: is_time_ = true; break;
    default: break;
  }
}

bool TextValueReader::read(std::string_view text, ColumnBuilder& out, std::string& reason) {
  if (json_) return read_from_json(text, out, reason);
  if (is_time_ && read_time(text, out)) return true;
  const auto failure = append_parsed(out, text);
  if (!failure) return true;
  reason = *failure;
  if (is_time_ && names_no_day(text)) reason += ": there is no such day";
  return false;
}

/// Dates and timestamps as json has them, too.
bool TextValueReader::read_time(std::string_view text, ColumnBuilder& out) {
  std::int64_t micros;
  std::int32_t days;
  if (out.type().kind() == TypeKind::kTimestamp) {
    if (read_point_in_time(text, micros) != PointInTime::kOk) return false;
    out.append_bigint(micros);
  } else {
    if (!parse_plain_date(text, days)) return false;
    out.append_int(days);
  }
  return true;
}

bool TextValueReader::read_from_json(std::string_view text, ColumnBuilder& out, std::string& reason) {
  tokens_->clear();
  tokens_->add(text);
  const JsonTokens::Document& d = tokens_->documents()[0];
  const std::string_view document = tokens_->text(d);
  if (!tokens_->index_one(d)) return reason = why_no_tokens(document), false;
  cursor_.start(tokens_->base(), document.data(), tokens_->tokens(), true);
  if (any_json_ ? read_any_json(out) : json_->read(cursor_, out)) {
    if (cursor_.here() > document.data() + document.size()) return true;
    out.pop();
    cursor_.syntax("nothing more");
  }
  reason = cursor_.take_failure().text;
  return false;
}

/// Here `null` is JSON's, since null has a text of its own.
bool TextValueReader::read_any_json(ColumnBuilder& out) {
  const std::uint32_t* first = cursor_.place();
  if (!cursor_.skip()) return false;
  out.append_text(cursor_.skipped(first));
  return true;
}

}  // namespace weir
