#include "runtime/base/secrets.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace weir {

namespace {

constexpr std::size_t kShortest = 4;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

struct Registry {
  std::shared_mutex mutex;
  std::vector<std::string> secrets;  ///< in lower case, longest first
  std::atomic<bool> any{false};
};

Registry& registry() {
  static Registry* all = new Registry;  // outlives threads that still log at the end
  return *all;
}

void add(std::string_view secret) {
  if (secret.size() < kShortest) return;
  std::string text(secret);
  std::transform(text.begin(), text.end(), text.begin(), lower);
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  if (std::find(r.secrets.begin(), r.secrets.end(), text) != r.secrets.end()) return;
  const auto longer = [](const std::string& a, const std::string& b) { return a.size() > b.size(); };
  r.secrets.insert(std::upper_bound(r.secrets.begin(), r.secrets.end(), text, longer), std::move(text));
  r.any = true;
}

}  // namespace

void register_secret(std::string_view secret) {
  add(secret);
  for (std::size_t begin = 0; begin < secret.size();) {
    const std::size_t end = std::min(secret.find_first_of("\r\n", begin), secret.size());
    add(secret.substr(begin, end - begin));
    begin = end + 1;
  }
}

bool has_secrets() { return registry().any.load(std::memory_order_relaxed); }

std::string masked(std::string text) {
  if (!has_secrets()) return text;
  std::string plain(text);
  std::transform(plain.begin(), plain.end(), plain.begin(), lower);
  Registry& r = registry();
  std::shared_lock lock(r.mutex);
  for (const std::string& secret : r.secrets)
    for (std::size_t at = plain.find(secret); at != std::string::npos; at = plain.find(secret, at + 3)) {
      plain.replace(at, secret.size(), "***");
      text.replace(at, secret.size(), "***");
    }
  return text;
}

}  // namespace weir
