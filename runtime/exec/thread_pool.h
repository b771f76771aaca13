#pragma once
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>
#include <vector>

namespace weir {

/// Threads that run what is posted to their context, first come first served. What is posted must not throw.
///
/// Unlike Asio's own pool it ends those threads that it has when the system refuses it one.
class ThreadPool {
 public:
  /// Throws Error(kEnvironment) when the system gives less than so many threads.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();  ///< stops and joins
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  boost::asio::io_context& context() { return context_; }
  /// Drops what has not begun; what runs ends by itself.
  void stop() { context_.stop(); }
  /// Waits until all that was posted (if it was not stopped) is done and the threads have ended. Not from one of them.
  /// Repeatable.
  void join();

 private:
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::thread> threads_;
};

}  // namespace weir
