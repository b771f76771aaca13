#include "runtime/job/failure.h"

#include <boost/system/system_error.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <system_error>

namespace weir {
namespace {

using Catch::Matchers::Contains;

template <typename Thrown>
std::optional<Error> failure(const Thrown& thrown) {
  return failure_of(std::make_exception_ptr(thrown));
}

std::system_error refused(int error) { return std::system_error(error, std::generic_category(), "call"); }

}  // namespace

TEST_CASE("what the system refuses is a failure of the environment that says what is short") {
  const auto thread = failure(refused(EAGAIN));
  REQUIRE(thread);
  CHECK(thread->blame() == Blame::kEnvironment);
  CHECK_THAT(thread->text(),
             Contains("a thread could not be started") && Contains("limit of processes") && Contains("container"));

  const auto files = failure(boost::system::system_error(EMFILE, boost::system::system_category(), "epoll"));
  REQUIRE(files);
  CHECK(files->blame() == Blame::kEnvironment);
  CHECK_THAT(files->text(),
             Contains("epoll") && Contains("limit of open files") && Contains("ulimit -n") && Contains("the limit is "));

  const auto memory = failure(std::bad_alloc());
  REQUIRE(memory);
  CHECK(memory->blame() == Blame::kEnvironment);
  CHECK_THAT(memory->text(), Contains("memory"));

  const auto disk =
      failure(std::filesystem::filesystem_error("cannot look", "/mnt/gone", std::make_error_code(std::errc::io_error)));
  REQUIRE(disk);
  CHECK(disk->blame() == Blame::kEnvironment);
  CHECK_THAT(disk->text(), Contains("/mnt/gone"));
}

TEST_CASE("an error stays as it is, and a bug is no failure of the system") {
  CHECK(failure(Error(Blame::kRefused, "text"))->text() == "text");
  CHECK(failure(Error(Blame::kRefused, "text"))->blame() == Blame::kRefused);
  CHECK_FALSE(failure(std::runtime_error("x")));
  CHECK_FALSE(failure(std::logic_error("x")));
  CHECK_FALSE(failure(7));
}

}  // namespace weir
