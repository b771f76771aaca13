#include "connectors/formats/json/json_encoder.h"

namespace weir {

namespace {

constexpr std::size_t kSlack = 16;  // what writers may overwrite behind their end

/// `,"name":`
std::string member_prefix(std::string_view name) {
  std::string bytes(name.size() * 6 + 4 + kSlack, '\0');
  char* end = JsonWriter::write_text(bytes.data() + 1, name);
  bytes[0] = ',';
  *end++ = ':';
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
  return bytes;
}

}  // namespace

JsonEncoder::JsonEncoder(const Schema& schema, std::vector<int> columns, const JsonOptions& options)
    : writer_(options.timestamp) {
  fixed_bound_ = kSlack + 2;
  for (int index : columns) {
    const Field& field = schema[index];
    Member m{.prefix = member_prefix(field.name), .prefix_size = 0, .index = index, .kind = field.type.kind()};
    m.prefix_size = m.prefix.size();
    m.prefix.resize(std::max(m.prefix_size, kSlack));
    const std::size_t bound = JsonWriter::fixed_bound(field.type);
    if (!bound) variable_.push_back(members_.size());
    fixed_bound_ += m.prefix_size + bound;
    members_.push_back(std::move(m));
  }
}

void JsonEncoder::take_apart(const RecordBatch& batch) {
  for (Member& m : members_) {
    m.column = &batch.column(m.index);
    m.validity = m.column->validity();
    m.values = m.column->values<char>();
    m.offsets = m.column->offsets_buffer() ? m.column->offsets() : nullptr;
  }
}

std::size_t JsonEncoder::row_bound(std::int64_t i) const {
  std::size_t n = fixed_bound_;
  for (std::size_t v : variable_) {
    const Member& m = members_[v];
    n += m.kind == TypeKind::kVarchar ? JsonWriter::text_bound(static_cast<std::size_t>(m.offsets[i + 1] - m.offsets[i]))
                                      : JsonWriter::bound(*m.column, i);
  }
  return n;
}

void JsonEncoder::encode(const RecordBatch& batch, Buffer& out, std::vector<std::size_t>& ends) {
  take_apart(batch);
  ends.reserve(ends.size() + static_cast<std::size_t>(batch.rows()));
  for (std::int64_t i = 0; i < batch.rows(); ++i) {
    const std::size_t begin = out.size();
    const std::size_t bound = row_bound(i);
    out.reserve(begin + bound);
    char* to = out.as<char>() + begin;
    out.resize(static_cast<std::size_t>(write_row(to, i) - out.as<char>()));
    ends.push_back(out.size());
  }
}

char* JsonEncoder::write_row(char* to, std::int64_t i) {
  char* begin = to;
  *to = '{';
  if (members_.empty()) ++to;
  for (const Member& m : members_) {
    to = JsonWriter::copy_short(to, m.prefix.data(), m.prefix_size);
    to = write_value(to, m, i);
  }
  *begin = '{';  // in place of the first member's comma
  *to++ = '}';
  return to;
}

char* JsonEncoder::write_value(char* to, const Member& m, std::int64_t i) {
  if (m.validity && !get_bit(m.validity, i)) {
    std::memcpy(to, "null", 4);
    return to + 4;
  }
  switch (m.kind) {
    case TypeKind::kInt: return JsonWriter::write_bigint(to, m.value<std::int32_t>(i));
    case TypeKind::kBigint: return JsonWriter::write_bigint(to, m.value<std::int64_t>(i));
    case TypeKind::kDouble: return JsonWriter::write_double(to, m.value<double>(i));
    case TypeKind::kTimestamp: return writer_.write_timestamp(to, m.value<std::int64_t>(i));
    case TypeKind::kVarchar: {
      const char* bytes = static_cast<const char*>(m.values);
      return JsonWriter::write_text(to, {bytes + m.offsets[i], static_cast<std::size_t>(m.offsets[i + 1] - m.offsets[i])});
    }
    default: return writer_.write(to, *m.column, i);
  }
}

}  // namespace weir
