#pragma once
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace weir {

/// While it lives, what the program logs is kept instead of printed, as `warning: text`. One at a time.
class CapturedLog {
 public:
  CapturedLog() : sink_(std::make_shared<Sink>()), before_(spdlog::default_logger()) {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink_));
  }
  ~CapturedLog() { spdlog::set_default_logger(before_); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  std::vector<std::string> lines() const { return sink_->lines(); }
  /// Those that hold `part`.
  std::vector<std::string> with(const std::string& part) const {
    std::vector<std::string> found = lines();
    std::erase_if(found, [&](const std::string& line) { return line.find(part) == std::string::npos; });
    return found;
  }

 private:
  class Sink final : public spdlog::sinks::base_sink<std::mutex> {
   public:
    std::vector<std::string> lines() {
      std::lock_guard lock(mutex_);
      return lines_;
    }

   private:
    void sink_it_(const spdlog::details::log_msg& message) override {
      const auto level = spdlog::level::to_string_view(message.level);
      lines_.push_back(std::string(level.data(), level.size()) + ": " +
                       std::string(message.payload.data(), message.payload.size()));
    }
    void flush_() override {}
    std::vector<std::string> lines_;
  };
  const std::shared_ptr<Sink> sink_;
  const std::shared_ptr<spdlog::logger> before_;
};

}  // namespace weir
