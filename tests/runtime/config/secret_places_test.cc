#include "runtime/config/secret_places.h"

#include <catch2/catch.hpp>
#include <string>

using namespace weir;

namespace {

/// The text with stars for what is secret.
std::string masked_text(std::string text) {
  for (const TextRange& place : secret_places(text))
    for (std::size_t i = place.begin; i < place.end; ++i) text[i] = text[i] == '\n' ? '\n' : '*';
  return text;
}

}  // namespace

TEST_CASE("a secret ends where its value ends") {
  CHECK(masked_text("a: { password: abc, user: u }") == "a: { password: ***, user: u }");
  CHECK(masked_text("a: { password: a,bc, user: u }") == "a: { password: ****, user: u }");
  CHECK(masked_text("password: abc # x\nuser: u\n") == "password: *******\nuser: u\n");
  CHECK(masked_text("password:\n  abc\nuser: u\n") == "password:\n*****\nuser: u\n");
  CHECK(masked_text("url: \"http://user:abc@host/x\"") == "url: \"http://user:***@host/x\"");
  CHECK(masked_text("brokers: user:abc@host:1") == "brokers: user:***@host:1");
  CHECK(masked_text("jdbc: 'password=abc;user=u'") == "jdbc: 'password=***;user=u'");
  CHECK(masked_text("# the password: abc\nuser: u\n") == "# the password: ***\nuser: u\n");
}

TEST_CASE("what is only called like a secret is none") {
  for (const char* text : {"token_counts:\n  from: a\n", "steps: { tokens: { from: a } }", "filter: \"x = token::int\"",
                           "filter: token is null", "select: [token, x]"})
    CHECK(masked_text(text) == text);
}

TEST_CASE("secrets are found in linear time") {
  for (const char* piece :
       {"password: [", "{password: x [", "password: \"\n", "token:\n#\n", "password:\n ", "{a,password: x\n", "a:b@c"}) {
    std::string text;
    while (text.size() < (1 << 20)) text += piece;
    CHECK(secret_places(text).size() <= text.size());
  }
}
