#include <limits>
#include <unordered_map>

#include "connectors/formats/json/json_reader.h"
#include "connectors/formats/point_in_time.h"
#include "runtime/data/base64.h"
#include "runtime/data/timestamp_text.h"
#include "runtime/expr/text/parse_value.h"

namespace weir {

namespace {

bool same_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] | 0x20) != lower[i]) return false;
  return true;
}

/// Why a date or time is none, where that is more than its form.
std::string_view why_none(PointInTime status) {
  switch (status) {
    case PointInTime::kNoSuchDay: return "there is no such day";
    case PointInTime::kNoSuchTime: return "there is no such time of day";
    case PointInTime::kTooLate: return "it lies behind the year 9999";
    case PointInTime::kOk:
    case PointInTime::kNone: break;
  }
  return "";
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
  if (!parse_plain_date(*written, days)) {
    if (!names_no_day(*written)) return c.mismatch(at, "date as YYYY-MM-DD");
    return c.fail(at, fmt::format("expected date, found {}: {}", describe_json(at), why_none(PointInTime::kNoSuchDay)));
  }
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
  PointInTime status = PointInTime::kNone;
  if (*at == '"') {
    const auto written = text(c);
    if (!written) return false;
    status = read_point_in_time(*written, timestamp_, micros);
  } else if (timestamp_ != TimestampFormat::kIso && timestamp_ != TimestampFormat::kSql) {
    if (const char* end = end_of_number(at))
      status = read_epoch({at, static_cast<std::size_t>(end - at)}, timestamp_, micros);
  }
  if (status == PointInTime::kOk) [[likely]] {
    out.append_bigint(micros);
    c.step();
    return true;
  }
  if (status == PointInTime::kNone) return c.mismatch(at, name_of(timestamp_));
  return c.fail(at, fmt::format("expected {}, found {}: {}", name_of(timestamp_), describe_json(at), why_none(status)));
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
