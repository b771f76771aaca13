#include "tools/weir/json_log.h"

#include <spdlog/details/log_msg.h>

#include "runtime/base/time.h"
#include "runtime/data/json_text.h"

namespace weir {

namespace {

class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const auto since = std::chrono::duration_cast<std::chrono::microseconds>(message.time.time_since_epoch());
    std::string line = R"({"time":")";
    append_iso(line, {since.count() / 1000 * 1000});
    const auto level = spdlog::level::to_string_view(message.level);
    line += R"(","level":")" + std::string(level.data(), level.size()) + R"(","message":)";
    append_json_string(line, {message.payload.data(), message.payload.size()});
    line += "}\n";
    out.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonFormatter>(); }
};

}  // namespace

std::unique_ptr<spdlog::formatter> make_json_formatter() { return std::make_unique<JsonFormatter>(); }

}  // namespace weir
