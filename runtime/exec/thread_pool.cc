#include "runtime/exec/thread_pool.h"

#include <system_error>

#include "runtime/base/system_failure.h"

namespace weir {

ThreadPool::ThreadPool(std::size_t threads) : context_(static_cast<int>(threads)), work_(context_.get_executor()) {
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { context_.run(); });
  } catch (const std::system_error& e) {
    stop();
    join();
    throw thread_failure(e);
  }
}

ThreadPool::~ThreadPool() {
  stop();
  join();
}

void ThreadPool::join() {
  work_.reset();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

}  // namespace weir
