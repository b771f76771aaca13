#include "runtime/checkpoint/manifest.h"

#include <catch2/catch.hpp>

#include "runtime/base/error.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;

Manifest full_manifest() {
  Manifest m;
  m.id = {42};
  m.run = {"b1f0c0ffee000001"};
  m.authority = "kafka C1 weir-orders";
  m.job = "orders";
  m.at = {1'704'067'200'123'456};
  m.weir_version = "0.1.0";
  m.pipeline_hash = "00112233";
  m.parallelism = 3;
  ManifestSplit split{
      {"orders", 7, 120, 200, true, Timestamp{1'704'067'200'000'000}, std::string("\x00\xff\x80", 3)}, 125, true};
  m.sources = {{"orders", "kafka", {split, {{"na\xc3\xafve", 0, 0}}}, Timestamp{5}},
               {"bytes", "file", {{{"/data/\xff.json", 0, 9}}}, Timestamp::infinity()}};
  m.steps = {{"per_minute", Timestamp{-1}, {{"windows", "customer varchar, n bigint", 10, 900}}},
             {"empty", Timestamp::none(), {}}};
  m.finished_steps = {"done"};
  m.sinks = {{"out", "kafka", "exactly_once", "weir-orders-a"}, {"log", "console", "none", ""}};
  m.claim = m.finished = true;
  m.restored_from = CheckpointName{{41}, {"aaaa"}, "orders"};
  m.origin = CheckpointName{{40}, {"aaaa"}, "old \"orders\""};
  m.dropped_steps = {"gone"};
  m.last_marker = LastMarker{"kafka C0 weir-orders", {{39}, {"9999"}}};
  m.parts = {{"/out/.part-1.pending", "/out/part-1.json"}};
  m.files = {{"state/000012.sst", 900, "0123456789abcdef0123456789abcdef"}};
  m.commits = CommitFigures{12, 1, Duration::milliseconds(17), Duration{1}, Duration::seconds(60)};
  m.duration_ms = 18;
  m.bytes = 18'000'000'000'000'000'000u;
  return m;
}

std::string refusal(std::string_view text, ManifestChecksum checksum = ManifestChecksum::kRequire) {
  try {
    parse_manifest(text, "/chk-000042/manifest.json", checksum);
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kRefused);
    CHECK_THAT(e.text(), Contains("/chk-000042/manifest.json"));
    return e.text();
  }
  return "accepted";
}

/// The text of a full manifest with a change that its checksum does not cover.
std::string refusal_of_changed(std::string_view from, std::string_view to) {
  std::string text = manifest_text(full_manifest());
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  CHECK_THAT(refusal(text), Contains("it was changed: its checksum is"));
  return refusal(text, ManifestChecksum::kIgnore);
}

}  // namespace

TEST_CASE("a manifest comes back as it was written") {
  const Manifest m = full_manifest();
  CHECK(parse_manifest(manifest_text(m), "f") == m);
  CHECK(manifest_text(parse_manifest(manifest_text(m), "f")) == manifest_text(m));
  Manifest small;
  small.id = {1};
  CHECK(parse_manifest(manifest_text(small), "f") == small);
}

TEST_CASE("a manifest cut at any byte is refused") {
  const std::string text = manifest_text(full_manifest());
  for (std::size_t size = 1; size < text.size(); ++size) REQUIRE_THAT(refusal(text.substr(0, size)), Contains("torn"));
  CHECK_THAT(refusal(""), Contains("it is empty"));
  CHECK_THAT(refusal(text + "\n"), Contains("torn"));
}

TEST_CASE("a manifest with any byte changed is refused") {
  const std::string text = manifest_text(full_manifest());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    REQUIRE(refusal(changed) != "accepted");
  }
}

TEST_CASE("what is no manifest is refused with the reason") {
  CHECK_THAT(refusal("hello", ManifestChecksum::kIgnore), Contains("is not JSON"));
  CHECK_THAT(refusal("[]", ManifestChecksum::kIgnore), Contains("is not an object"));
  CHECK_THAT(refusal("{}", ManifestChecksum::kIgnore), Contains("\"format\" is missing"));
  CHECK_THAT(refusal(std::string(100'000, '['), ManifestChecksum::kIgnore), Contains("is not JSON"));
}

TEST_CASE("another format, unknown keys and wrong types are refused with the place") {
  CHECK_THAT(refusal_of_changed("\"format\": 1", "\"format\": 2"),
             Contains("format 2; this version of weir reads format 1"));
  CHECK_THAT(refusal_of_changed("\"claim\"", "\"blame\""), Contains("\"claim\" is missing"));
  CHECK_THAT(refusal_of_changed("\"claim\": true", "\"claim\": true, \"other\": 1"),
             Contains("keys that this version of weir does not know"));
  CHECK_THAT(refusal_of_changed("\"claim\": true", "\"claim\": 1"), Contains("\"claim\" is not true or false"));
  CHECK_THAT(refusal_of_changed("\"id\": 42", "\"id\": -1"), Contains("\"id\" is out of range"));
  CHECK_THAT(refusal_of_changed("\"id\": 42", "\"id\": 0"), Contains("\"id\" is less than 1"));
  CHECK_THAT(refusal_of_changed("\"partition\": 7", "\"partition\": 2147483648"),
             Contains("\"sources[0].splits[0].partition\" is out of range"));
  CHECK_THAT(refusal_of_changed("\"partition\": 7", "\"partition\": 7.5"), Contains("is not an integer"));
  CHECK_THAT(refusal_of_changed("\"bytes\": \"00ff80\"", "\"bytes\": \"00ff8\""), Contains("has half a byte"));
  CHECK_THAT(refusal_of_changed("\"bytes\": \"00ff80\"", "\"bytes\": \"00ff8G\""), Contains("hexadecimal"));
  CHECK_THAT(refusal_of_changed("\"job\": \"orders\"", "\"job\": null"), Contains("\"job\" is not a text"));
}

TEST_CASE("a file outside the checkpoint is refused") {
  for (const char* path : {"../LOCK", "/etc/passwd", "state/../../x", "state//x", "./x", "", "state/"})
    CHECK_THAT(refusal_of_changed("state/000012.sst", path), Contains("leads out of the checkpoint"));
  CHECK_THAT(refusal_of_changed("0123456789abcdef0123456789abcdef", "0123456789ABCDEF0123456789abcdef"),
             Contains("is not a checksum"));
}

TEST_CASE("lag is the distance to the end of the split, never negative") {
  CHECK(ManifestSplit{{"t", 0, 120}, 125}.lag() == 5);
  CHECK(ManifestSplit{{"t", 0, 130}, 125}.lag() == 0);
  CHECK(ManifestSplit{{"t", 0, 120}}.lag() == std::nullopt);
}

TEST_CASE("a claim of a claim goes back to the checkpoint with rows") {
  Manifest m;
  m.id = {4};
  CHECK(m.origin_of_claim()->id.value == 4);
  m.claim = true;
  CHECK(!m.origin_of_claim());
  m.origin = CheckpointName{{3}, {"r"}, "orders"};
  CHECK(m.origin_of_claim()->id.value == 3);
}

TEST_CASE("the split that holds back the watermark is the one with the least time of those that count") {
  const auto split = [](int partition, std::optional<std::int64_t> second) {
    ManifestSplit s{{"orders", partition, 0}};
    if (second) s.state.largest_time = Timestamp{*second * 1'000'000};
    return s;
  };
  const auto held_back_by = [](std::vector<ManifestSplit> splits, Duration least = {}) {
    return ManifestSource{"in", "kafka", std::move(splits)}.held_back_by(least);
  };
  CHECK(held_back_by({}) == "");
  CHECK(held_back_by({split(0, {}), split(1, {})}) == "");
  CHECK(held_back_by({split(0, {}), split(1, 5)}) == "orders-0, which has no rows yet");
  CHECK(held_back_by({split(0, 7300), split(1, 100), split(2, 200)}) == "orders-1, 2 h behind");
  CHECK(held_back_by({split(0, 109), split(1, 100)}, Duration::seconds(10)) == "");
  CHECK(held_back_by({split(0, 110), split(1, 100)}, Duration::seconds(10)) == "orders-1, 10 s behind");
  ManifestSplit idle = split(1, 100), ended = split(2, 200);
  idle.idle = ended.state.ended = true;
  CHECK(held_back_by({split(0, 110), idle, ended}) == "orders-0, 90 s behind");
}

}  // namespace weir
