#include "runtime/state/suffix_codec.h"

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/data/key_parts.h"

namespace weir {
namespace {

constexpr char kValue = 1, kNull = 2, kLowNull = 0;

void turn(std::string& bytes, std::size_t from) {
  for (std::size_t i = from; i < bytes.size(); ++i) bytes[i] = static_cast<char>(~bytes[i]);
}

/// True if null is written as kLowNull: it sorts before values, seen before the bits are turned.
bool low_null(const SortOrder& order) { return order.has_nulls_first() != order.descending; }

}  // namespace

std::string SortOrder::text() const {
  if (plain()) return {};
  std::string text = descending ? "desc" : "";
  if (has_nulls_first() != descending)
    text += std::string(text.empty() ? "" : " ") + (has_nulls_first() ? "nulls first" : "nulls last");
  return text;
}

void SuffixCodec::take(std::span<const ColumnPtr> columns, std::int64_t rows) {
  for (std::size_t p = 0; p < parts_.size(); ++p) keys_[p].encode(columns.subspan(p, 1), rows);
}

void SuffixCodec::append(std::int64_t i, std::string& out) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const SortOrder& order = parts_[p].order;
    const std::size_t begin = out.size();
    out += keys_[p][i];
    if (out[begin] == kNull && low_null(order)) out[begin] = kLowNull;
    if (order.descending) turn(out, begin);
  }
}

void SuffixCodec::decode(std::string_view suffix, std::span<const SortOrder> orders, std::span<ColumnBuilder> builders) {
  std::string turned;
  for (std::size_t p = 0; p < builders.size(); ++p) {
    const SortOrder order = p < orders.size() ? orders[p] : SortOrder();
    turned = suffix;
    if (order.descending) turn(turned, 0);
    if (!turned.empty() && low_null(order))
      turned[0] = turned[0] == kLowNull ? kNull : turned[0] == kNull ? kLowNull : turned[0];
    std::string_view rest = turned;
    const std::string_view part = take_key_part(rest, builders[p].type());
    decode_key(part, builders.subspan(p, 1));
    suffix.remove_prefix(part.size());
  }
  if (!suffix.empty()) throw Error(Blame::kRefused, "a key of the state cannot be read: it was written with other columns");
}

}  // namespace weir
