#include "runtime/base/secrets.h"

#include <catch2/catch.hpp>

using namespace weir;

TEST_CASE("registered secrets are masked wherever they stand, in any case, the longest first") {
  register_secret("tOp-secret");
  register_secret("tOp-secret-and-longer");
  CHECK(has_secrets());
  CHECK(masked("x top-SECRET y tOp-secret") == "x *** y ***");
  CHECK(masked("'tOp-secret-and-longer'") == "'***'");
  CHECK(masked("tOp-secrettOp-secret") == "******");
  CHECK(masked("nothing here") == "nothing here");
  CHECK(masked("") == "");
}

TEST_CASE("texts of less than four bytes are no secrets, and of several lines each is one") {
  register_secret("abc");
  CHECK(masked("abc") == "abc");
  register_secret("first-line\r\nsecond-line\nend\n");
  CHECK(masked("a second-line, end") == "a ***, end");
}
