#include <limits>
#include <unordered_map>

#include "connectors/formats/base64.h"
#include "connectors/formats/json_reader.h"
#include "runtime/data/decimal.h"
#include "runtime/data/timestamp_text.h"
#include "runtime/expr/parse_value.h"

namespace weir {

namespace {

bool same_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] | 0x20) != lower[i]) return false;
  return true;
}

/// Epoch numbers as microseconds. False when they do not fit.
bool epoch_micros(std::string_view number, TimestampFormat format, std::int64_t& micros) {
  constexpr int kMillisScale = 3, kSecondsScale = 6;
  constexpr std::int64_t kFirstSeconds = 1'000'000'000, kLastSeconds = 10'000'000'000;  // 2001 to 2286
  const ParsedDecimal seconds = parse_decimal(number, kSecondsScale);
  if (seconds.status != ParsedDecimal::Status::kOk) return false;
  const Int128 whole = seconds.value / 1'000'000;
  const bool looks_like_seconds = format == TimestampFormat::kAuto && whole >= kFirstSeconds && whole < kLastSeconds;
  Int128 value = seconds.value;
  if (format != TimestampFormat::kEpochSeconds && !looks_like_seconds) value = parse_decimal(number, kMillisScale).value;
  micros = static_cast<std::int64_t>(value);
  return micros == value;
}

}  // namespace

bool JsonFieldReader::read_boolean(JsonCursor& c, ColumnBuilder& out) {
  const char* at = c.here();
  bool value;
  if (*at == '"') {
    const auto word = text(c);
    if (!word) return false;
    value = same_word(*word, "true");
    if (!value && !same_word(*word, "false")) return mismatch(c, at);
  } else if (load4(at) == load4("true") && is_json_delimiter(at[4])) {
    value = true;
  } else if (load4(at) == load4("fals") && at[4] == 'e' && is_json_delimiter(at[5])) {
    value = false;
  } else {
    return mismatch(c, at);
  }
  out.append_boolean(value);
  c.step();
  return true;
}

bool JsonFieldReader::append_text_value(JsonCursor& c, Buffer& out) {
  const std::string_view raw = c.raw_text();
  JsonEscapeError error;
  if (!append_unescaped(out, raw, error))
    return c.fail(error.at, fmt::format("{} at byte {}", error.text, c.offset(error.at)));
  c.step();
  return true;
}

bool JsonFieldReader::read_varchar(JsonCursor& c, ColumnBuilder& out) {
  if (c.now() == '"') [[likely]] {
    const std::string_view raw = c.raw_text();
    if (!c.has_escape(raw)) [[likely]] {
      out.append_text(raw);
      c.step();
      return true;
    }
    scratch_.clear();
    if (!append_text_value(c, scratch_)) return false;
  } else {
    // Other values are taken as their text: numbers as they stand, containers without white space.
    const std::uint32_t* first = c.place();
    if (!c.skip()) return false;
    scratch_.clear();
    c.append_compact(scratch_, first);
  }
  out.append_text({scratch_.as<char>(), scratch_.size()});
  return true;
}

bool JsonFieldReader::read_json(JsonCursor& c, ColumnBuilder& out) {
  const std::uint32_t* first = c.place();
  if (!c.skip()) return false;
  out.append_text(c.skipped(first));
  return true;
}

bool JsonFieldReader::read_bytea(JsonCursor& c, ColumnBuilder& out) {
  const char* at = c.here();
  if (*at != '"') return c.mismatch(at, "bytea as base64 text");
  const auto encoded = text(c);
  if (!encoded) return false;
  std::string bytes;
  if (!append_decoded_base64(bytes, *encoded)) return c.mismatch(at, "bytea as base64 text");
  out.append_text(bytes);
  c.step();
  return true;
}

bool JsonFieldReader::read_date(JsonCursor& c, ColumnBuilder& out) {
  const char* at = c.here();
  if (*at != '"') return c.mismatch(at, "date");
  const auto written = text(c);
  if (!written) return false;
  std::int32_t days;
  if (!parse_plain_date(*written, days)) return c.mismatch(at, "date as YYYY-MM-DD");
  out.append_int(days);
  c.step();
  return true;
}

bool JsonFieldReader::read_interval(JsonCursor& c, ColumnBuilder& out) {
  const char* at = c.here();
  if (*at != '"') return c.mismatch(at, "interval");
  const auto written = text(c);
  if (!written) return false;
  Interval value;
  if (parse_interval(*written, value) != ParseStatus::kOk) return c.mismatch(at, "interval as text");
  out.append_interval(value);
  c.step();
  return true;
}

bool JsonFieldReader::read_timestamp(JsonCursor& c, ColumnBuilder& out) {
  const char* at = c.here();
  std::int64_t micros = 0;
  const bool epoch = timestamp_ == TimestampFormat::kEpochMillis || timestamp_ == TimestampFormat::kEpochSeconds;
  bool good = false;
  std::string_view number;
  if (*at == '"') {
    const auto written = text(c);
    if (!written) return false;
    const TimestampText form = timestamp_ == TimestampFormat::kAuto  ? TimestampText::kAny
                               : timestamp_ == TimestampFormat::kIso ? TimestampText::kIso
                                                                     : TimestampText::kSql;
    if (epoch)
      number = trim_blanks(*written);
    else
      good = parse_timestamp(*written, form, micros);
  } else if (epoch || timestamp_ == TimestampFormat::kAuto) {
    if (const char* end = end_of_number(at)) number = {at, static_cast<std::size_t>(end - at)};
  }
  if (!number.empty()) good = epoch_micros(number, timestamp_, micros);
  if (!good) [[unlikely]] {
    constexpr const char* kExpected[] = {"timestamp", "timestamp as in 2024-01-31T10:20:30Z",
                                         "timestamp as in 2024-01-31 10:20:30", "timestamp in epoch milliseconds",
                                         "timestamp in epoch seconds"};
    return c.mismatch(at, kExpected[static_cast<std::size_t>(timestamp_)]);
  }
  out.append_bigint(micros);
  c.step();
  return true;
}

bool JsonFieldReader::read_map(JsonCursor& c, ColumnBuilder& out) {
  if (c.now() != '{') return mismatch(c, c.here());
  ColumnBuilder& keys = out.child(0);
  ColumnBuilder& values = out.child(1);
  const std::int64_t before = keys.size();
  const auto failed = [&] {
    while (keys.size() > before) keys.pop();
    while (values.size() > before) values.pop();
    return false;
  };
  if (!find_map_members(c)) return false;
  const std::uint32_t* behind = c.place();
  for (const MapMember& m : members_) {
    if (m.repeated) continue;
    keys.append_text({map_keys_.as<char>() + m.key_begin, m.key_end - m.key_begin});
    c.rewind(m.value);
    if (!element_->read(c, values)) {
      c.inside(std::string_view(map_keys_.as<char>() + m.key_begin, m.key_end - m.key_begin));
      return failed();
    }
  }
  c.rewind(behind);
  out.end_list();
  return true;
}

/// Walks over a map's members and marks those of which another with the same key comes later: the last counts.
bool JsonFieldReader::find_map_members(JsonCursor& c) {
  members_.clear();
  map_keys_.clear();
  c.step();
  while (c.now() != '}') {
    if (!members_.empty()) {
      if (c.now() != ',') return c.syntax("`,` or `}`");
      c.step();
    }
    if (c.now() != '"') return c.syntax("the name of a member");
    const std::size_t begin = map_keys_.size();
    if (!append_text_value(c, map_keys_)) return false;
    if (c.now() != ':') return c.syntax("`:`");
    c.step();
    members_.push_back({begin, map_keys_.size(), c.place(), false});
    if (!c.skip()) return false;
  }
  c.step();
  std::unordered_map<std::string_view, std::size_t> last;
  for (std::size_t i = 0; members_.size() > 1 && i < members_.size(); ++i) {
    const std::string_view key(map_keys_.as<char>() + members_[i].key_begin, members_[i].key_end - members_[i].key_begin);
    const auto [it, fresh] = last.try_emplace(key, i);
    if (!fresh) members_[std::exchange(it->second, i)].repeated = true;
  }
  return true;
}

}  // namespace weir
