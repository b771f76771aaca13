#include "tools/weir/masking_log.h"

#include <spdlog/details/log_msg.h>

#include "runtime/base/secrets.h"

namespace weir {

namespace {

class MaskingFormatter final : public spdlog::formatter {
 public:
  explicit MaskingFormatter(std::unique_ptr<spdlog::formatter> inner) : inner_(std::move(inner)) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    if (!has_secrets()) return inner_->format(message, out);
    const std::string text = masked(std::string(message.payload.data(), message.payload.size()));
    spdlog::details::log_msg copy = message;
    copy.payload = text;
    inner_->format(copy, out);
    message.color_range_start = copy.color_range_start;
    message.color_range_end = copy.color_range_end;
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return make_masking_formatter(inner_->clone()); }

 private:
  std::unique_ptr<spdlog::formatter> inner_;
};

}  // namespace

std::unique_ptr<spdlog::formatter> make_masking_formatter(std::unique_ptr<spdlog::formatter> inner) {
  return std::make_unique<MaskingFormatter>(std::move(inner));
}

}  // namespace weir
