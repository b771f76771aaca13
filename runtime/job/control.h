#pragma once
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "runtime/base/time.h"

namespace weir {

/// The control thread's queue: work posted from anywhere, and timers. Everything posted through one Lease is dropped when
/// the lease ends, so that an attempt leaves nothing behind.
class ControlLoop {
 public:
  /// Ties posted work to a span of time on the control thread. end() and the destructor only there.
  class Lease {
   public:
    explicit Lease(ControlLoop& loop) : loop_(loop), alive_(std::make_shared<bool>(true)) {}
    ~Lease() { *alive_ = false; }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    /// Any thread, as long as the loop lives.
    void post(std::function<void()> work) const {
      boost::asio::post(loop_.context_, [alive = alive_, work = std::move(work)] {
        if (*alive) work();
      });
    }
    /// Control thread only: runs `work` once, after `delay`, unless the lease has ended.
    void after(Duration delay, std::function<void()> work) const {
      auto timer = std::make_shared<boost::asio::steady_timer>(loop_.context_, std::chrono::microseconds(delay.micros));
      timer->async_wait([timer, work = std::move(work), alive = alive_](const boost::system::error_code& error) {
        if (!error && *alive) work();
      });
    }
    /// Control thread only: runs `work` every `period` until the lease ends. What `work` starts may still be under way at
    /// the next: where that must not be, after() begins the next one when the last is done.
    void every(Duration period, std::function<void()> work) const {
      auto timer = std::make_shared<boost::asio::steady_timer>(loop_.context_);
      arm(timer, period, std::make_shared<std::function<void()>>(std::move(work)));
    }

   private:
    void arm(std::shared_ptr<boost::asio::steady_timer> timer, Duration period,
             std::shared_ptr<std::function<void()>> work) const {
      timer->expires_after(std::chrono::microseconds(period.micros));
      timer->async_wait([this, timer, period, work, alive = alive_](const boost::system::error_code& error) {
        if (error || !*alive) return;
        (*work)();
        if (*alive) arm(timer, period, work);
      });
    }
    ControlLoop& loop_;
    std::shared_ptr<bool> alive_;
  };

  /// Runs one piece of work, waiting for it at most `longest`. What it throws comes out here.
  void run_one(Duration longest) { context_.run_one_for(std::chrono::microseconds(longest.micros)), context_.restart(); }
  /// Wakes run_one. Any thread.
  void wake() {
    boost::asio::post(context_, [] {});
  }

 private:
  boost::asio::io_context context_{1};
  /// Or run_one would return at once while nothing is posted.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
};

}  // namespace weir
