#include "tools/weir/masking_log.h"

#include <spdlog/details/log_msg.h>

#include "runtime/base/printable.h"
#include "runtime/base/secrets.h"

namespace weir {

namespace {

/// Formats the message as if it said `text`.
void format_as(spdlog::formatter& inner, const std::string& text, const spdlog::details::log_msg& message,
               spdlog::memory_buf_t& out) {
  spdlog::details::log_msg copy = message;
  copy.payload = text;
  inner.format(copy, out);
  message.color_range_start = copy.color_range_start;
  message.color_range_end = copy.color_range_end;
}

class PrintableFormatter final : public spdlog::formatter {
 public:
  explicit PrintableFormatter(std::unique_ptr<spdlog::formatter> inner) : inner_(std::move(inner)) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const std::string_view text(message.payload.data(), message.payload.size());
    if (is_printable(text)) return inner_->format(message, out);
    format_as(*inner_, printable(text), message, out);
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return make_printable_formatter(inner_->clone()); }

 private:
  std::unique_ptr<spdlog::formatter> inner_;
};

class MaskingFormatter final : public spdlog::formatter {
 public:
  explicit MaskingFormatter(std::unique_ptr<spdlog::formatter> inner) : inner_(std::move(inner)) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    if (!has_secrets()) return inner_->format(message, out);
    format_as(*inner_, masked(std::string(message.payload.data(), message.payload.size())), message, out);
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return make_masking_formatter(inner_->clone()); }

 private:
  std::unique_ptr<spdlog::formatter> inner_;
};

}  // namespace

std::unique_ptr<spdlog::formatter> make_masking_formatter(std::unique_ptr<spdlog::formatter> inner) {
  return std::make_unique<MaskingFormatter>(std::move(inner));
}

std::unique_ptr<spdlog::formatter> make_printable_formatter(std::unique_ptr<spdlog::formatter> inner) {
  return std::make_unique<PrintableFormatter>(std::move(inner));
}

}  // namespace weir
