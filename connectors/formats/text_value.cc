#include "connectors/formats/text_value.h"

#include "runtime/expr/parse_value.h"

namespace weir {

TextValueReader::TextValueReader(const Field& field) {
  switch (field.type.kind()) {
    case TypeKind::kJson:
    case TypeKind::kRow:
    case TypeKind::kArray:
    case TypeKind::kMap:
      json_ = std::make_unique<JsonFieldReader>(field, JsonOptions{});
      tokens_ = std::make_unique<JsonTokens>();
      break;
    default: break;
  }
}

bool TextValueReader::read(std::string_view text, ColumnBuilder& out, std::string& reason) {
  if (json_) return read_from_json(text, out, reason);
  const auto failure = append_parsed(out, text);
  if (failure) reason = *failure;
  return !failure;
}

bool TextValueReader::read_from_json(std::string_view text, ColumnBuilder& out, std::string& reason) {
  tokens_->clear();
  tokens_->add(text);
  const JsonTokens::Document& d = tokens_->documents()[0];
  const std::string_view document = tokens_->text(d);
  if (!tokens_->index_one(d)) return reason = why_no_tokens(document), false;
  cursor_.start(tokens_->base(), document.data(), tokens_->tokens(), true);
  if (json_->read(cursor_, out)) {
    if (cursor_.here() > document.data() + document.size()) return true;
    out.pop();
    cursor_.syntax("nothing more");
  }
  reason = cursor_.take_failure().text;
  return false;
}

}  // namespace weir
