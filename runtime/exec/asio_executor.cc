#include "runtime/exec/asio_executor.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace weir {

namespace asio = boost::asio;

AsioExecutor::AsioExecutor(ExecutorThreads threads, const Clock& clock) : clock_(clock) {
  const auto start = [this](Lane lane, int count) {
    pools_[static_cast<std::size_t>(lane)] = std::make_unique<ThreadPool>(static_cast<std::size_t>(count));
  };
  start(Lane::kControl, 1);
  start(Lane::kTasks, threads.tasks);
  start(Lane::kCommits, threads.commits);
  start(Lane::kChores, threads.chores);
}

AsioExecutor::~AsioExecutor() {
  for (const auto& pool : pools_) pool->stop();
  for (const auto& pool : pools_) pool->join();
}

void AsioExecutor::post(Lane lane, std::function<void()> work) { asio::post(pool(lane).context(), std::move(work)); }

void AsioExecutor::after(Lane lane, Duration delay, std::function<void()> work) {
  auto timer = std::make_shared<asio::steady_timer>(pool(lane).context(), std::chrono::microseconds(delay.micros));
  timer->async_wait([timer, work = std::move(work)](const boost::system::error_code& error) {
    if (!error) work();
  });
}

}  // namespace weir
