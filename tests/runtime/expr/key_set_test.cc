#include "runtime/expr/program/key_set.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "runtime/data/key_codec.h"
#include "runtime/data/key_parts.h"

using namespace weir;
using weir::expr::KeySet;

namespace {

/// The keys of small values of a type: numbers from 0 on, the least one with them, or texts with zero bytes, some of which
/// begin like others.
std::vector<std::string> keys_of(const Type& type, int count) {
  ColumnBuilder b(type);
  for (int i = 0; i < count; ++i) {
    switch (type.kind()) {
      case TypeKind::kBoolean: b.append_boolean(i % 2 == 1); break;
      case TypeKind::kInt: b.append_int(i == 0 ? INT32_MIN : i); break;
      case TypeKind::kBigint: b.append_bigint(i == 0 ? INT64_MIN : i); break;
      case TypeKind::kDouble: b.append_double(i / 4.0); break;
      case TypeKind::kDecimal: b.append_decimal(i); break;
      case TypeKind::kInterval: b.append_interval({i, i, i}); break;
      default: {
        const auto n = static_cast<std::size_t>(i);
        b.append_text(std::string(n % 5, '\0') + std::string(n / 5, 'x'));
      }
    }
  }
  EncodedKeys encoded;
  const ColumnPtr column[] = {b.finish()};
  encoded.encode(column, count);
  std::vector<std::string> keys;
  for (int i = 0; i < (type.kind() == TypeKind::kBoolean ? 2 : count); ++i) keys.emplace_back(encoded[i]);
  return keys;
}

std::map<std::string, std::int64_t> content(const KeySet& set) {
  std::map<std::string, std::int64_t> found;
  set.for_each([&](std::string_view key, std::int64_t count) { CHECK(found.emplace(key, count).second); });
  return found;
}

const std::vector<Type> kTypes = {Type::boolean(),      Type::integer(),  Type::bigint(), Type::dbl(),
                                  Type::decimal(10, 2), Type::interval(), Type::varchar()};

}  // namespace

TEST_CASE("a key set holds what a map of counts would, for every type of key") {
  for (const Type& type : kTypes) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      INFO(type.name() << ", seed " << seed);
      std::mt19937 random(seed);
      const std::vector<std::string> keys = keys_of(type, 200);
      KeySet set(key_width(type), true);
      std::map<std::string, std::int64_t> expected;
      int differences = 0;
      for (int i = 0; i < 3000; ++i) {
        const std::string& key = keys[random() % keys.size()];
        const auto there = expected.find(key);
        if (random() % 1000 < (i / 1000 == 1 ? 800u : 300u)) {
          const bool last = there != expected.end() && there->second == 1;
          differences += set.remove(key) != last;
          if (there != expected.end() && --there->second == 0) expected.erase(there);
        } else {
          const auto count = static_cast<std::int64_t>(1 + random() % 3);
          differences += set.add(key, count) != (there == expected.end());
          expected[key] += count;
        }
        differences += set.size() != expected.size();
        if (i % 500 == 0) differences += content(set) != expected;
      }
      CHECK(differences == 0);
      CHECK(content(set) == expected);
      const KeySet copy = set;
      for (const std::string& key : keys)
        while (expected.contains(key) && !set.remove(key)) {
        }
      CHECK(set.size() == 0);
      CHECK(content(set).empty());
      CHECK(content(copy) == expected);
    }
  }
}

TEST_CASE("a key set without counts holds each key once") {
  for (const Type& type : kTypes) {
    INFO(type.name());
    KeySet set(key_width(type), false);
    const std::vector<std::string> keys = keys_of(type, 50);
    for (const std::string& key : keys) CHECK(set.add(key));
    for (const std::string& key : keys) CHECK_FALSE(set.add(key, 5));
    CHECK(set.size() == keys.size());
    for (const auto& [key, count] : content(set)) CHECK(count == 1);
  }
}

TEST_CASE("a key set says what memory it holds, which is little more than its keys") {
  const auto filled = [](const Type& type, int count, bool counts) {
    KeySet set(key_width(type), counts);
    for (const std::string& key : keys_of(type, count)) set.add(key);
    return set;
  };
  for (const int count : {1000, 3000, 5000}) {
    const auto n = static_cast<std::size_t>(count);
    CHECK(filled(Type::bigint(), count, false).bytes() < n * 8 * 2);
    CHECK(filled(Type::bigint(), count, false).bytes() > n * 8);
    CHECK(filled(Type::bigint(), count, true).bytes() > n * 16);
    CHECK(filled(Type::decimal(10, 2), count, false).bytes() > n * 16);
  }
  KeySet texts(0, true);
  std::vector<std::string> keys = keys_of(Type::varchar(), 500);
  for (const std::string& key : keys) texts.add(key);
  const std::size_t full = texts.bytes();
  for (std::size_t i = 10; i < keys.size(); ++i) texts.remove(keys[i]);
  CHECK(texts.bytes() < full / 4);
  KeySet reserved(8, false);
  reserved.reserve(1000);
  const std::size_t before = reserved.bytes();
  for (const std::string& key : keys_of(Type::bigint(), 1000)) reserved.add(key);
  CHECK(reserved.bytes() == before);
}
