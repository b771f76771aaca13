#include "runtime/base/time_zone.h"

#include <catch2/catch.hpp>
#include <random>

#include "runtime/base/time.h"

using namespace weir;

namespace {

std::shared_ptr<const TimeZone> zone(const std::string& name) {
  std::string problem;
  const auto found = TimeZone::load(name, problem);
  INFO(problem);
  REQUIRE(found);
  return found;
}

std::int64_t at(std::int64_t year, unsigned month, unsigned day, std::int64_t hour = 0, std::int64_t minute = 0) {
  using namespace std::chrono;
  const sys_days days = std::chrono::year(static_cast<int>(year)) / std::chrono::month(month) / std::chrono::day(day);
  return ((days.time_since_epoch().count() * 24 + hour) * 60 + minute) * 60'000'000;
}

std::string instant(const TimeZone& zone, std::int64_t local) { return format_iso({zone.instant_of(local)}); }

}  // namespace

TEST_CASE("midnight is where the local clock shows it") {
  const auto berlin = zone("Europe/Berlin");
  CHECK(instant(*berlin, at(2024, 1, 15)) == "2024-01-14T23:00:00.000Z");
  CHECK(instant(*berlin, at(2024, 7, 15)) == "2024-07-14T22:00:00.000Z");
  CHECK(instant(*berlin, at(2024, 3, 31)) == "2024-03-30T23:00:00.000Z");
  CHECK(instant(*berlin, at(2024, 4, 1)) == "2024-03-31T22:00:00.000Z");
  CHECK(format_iso({berlin->local_of(at(2024, 7, 1, 10))}) == "2024-07-01T12:00:00.000Z");
  CHECK(instant(*zone("Asia/Kolkata"), at(2024, 7, 15)) == "2024-07-14T18:30:00.000Z");
}

TEST_CASE("a local time that is left out is the jump, one that comes twice is the first") {
  const auto berlin = zone("Europe/Berlin");
  CHECK(instant(*berlin, at(2024, 3, 31, 2, 30)) == "2024-03-31T01:00:00.000Z");
  CHECK(instant(*berlin, at(2024, 10, 27, 2, 30)) == "2024-10-27T00:30:00.000Z");
  CHECK(instant(*zone("America/Sao_Paulo"), at(2018, 11, 4)) == "2018-11-04T03:00:00.000Z");  // midnight left out
  CHECK(instant(*zone("America/Havana"), at(2024, 11, 3, 0, 30)) == "2024-11-03T04:30:00.000Z");
  CHECK(instant(*zone("Pacific/Apia"), at(2011, 12, 30)) ==
        instant(*zone("Pacific/Apia"), at(2011, 12, 31)));  // a day left out
}

TEST_CASE("rules go on behind the last transition of the file") {
  const auto berlin = zone("Europe/Berlin");
  CHECK(instant(*berlin, at(2099, 7, 15)) == "2099-07-14T22:00:00.000Z");
  CHECK(instant(*berlin, at(2099, 12, 15)) == "2099-12-14T23:00:00.000Z");
  CHECK(instant(*zone("Australia/Sydney"), at(2101, 1, 15)) == "2101-01-14T13:00:00.000Z");
  CHECK(instant(*zone("America/New_York"), at(1900, 1, 1)) == "1900-01-01T05:00:00.000Z");
}

TEST_CASE("instant_of is the first instant that shows a time or later, in many zones") {
  std::mt19937_64 random(1);
  for (const char* name : {"Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca",
                           "Asia/Tehran", "UTC", "Etc/GMT+5"}) {
    const auto z = zone(name);
    for (int i = 0; i < 2000; ++i) {
      const auto local = static_cast<std::int64_t>(random() % 6'000'000'000) * 1'000'000 - 2'000'000'000'000'000;
      const std::int64_t found = z->instant_of(local);
      INFO(name << " " << local);
      REQUIRE(z->local_of(found) >= local);
      REQUIRE(z->local_of(found - 1) < local);
    }
  }
}

TEST_CASE("what is no time zone is refused") {
  std::string problem;
  CHECK(!TimeZone::load("Europe/Atlantis", problem));
  CHECK(problem == "there is no time zone 'Europe/Atlantis' on this machine");
  CHECK(!TimeZone::load("../../../etc/passwd", problem));
  CHECK(!TimeZone::load("Europe", problem));
  CHECK(!TimeZone::parse("TZif2 and nothing else"));
  CHECK(!TimeZone::parse(""));
}
