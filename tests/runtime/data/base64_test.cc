#include "runtime/data/base64.h"

#include <catch2/catch.hpp>

namespace weir {

namespace {

std::string encoded(std::string_view bytes) {
  std::string out(base64_size(bytes.size()), '?');
  CHECK(write_base64(out.data(), bytes) == out.data() + out.size());
  return out;
}
std::string decoded(std::string_view text) {
  std::string out = "kept";
  const bool good = append_decoded_base64(out, text);
  if (!good) CHECK(out == "kept");
  return good ? out.substr(4) : "refused";
}

}  // namespace

TEST_CASE("base64 is that of RFC 4648") {
  const std::pair<const char*, const char*> kVectors[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    CHECK(encoded(bytes) == text);
    CHECK(decoded(text) == bytes);
  }
  CHECK(decoded("+/+/") == "\xfb\xff\xbf");
}

TEST_CASE("what is not base64 is refused and leaves nothing") {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "====", "Z===", "Zm9vZ", "Zm-_", "Zm9v\n", "Z=g=", "=Zg="}) {
    INFO(text);
    CHECK(decoded(text) == "refused");
  }
}

}  // namespace weir
