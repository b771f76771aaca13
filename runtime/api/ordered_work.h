#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "runtime/api/context.h"

namespace weir {

/// Runs one task's work on the blocking pool in the order in which it was given, one piece at a time, and uses the waker
/// after each piece. Between two pieces everything else that waits for the pool has its turn. When a piece throws, the
/// attempt ends (BlockingPool) and what is behind it never runs.
///
/// add() and the questions are for the task's thread. Work that is under way when this is destroyed runs to its end, so what
/// it uses must be owned by it.
class OrderedWork {
 public:
  OrderedWork(BlockingPool& pool, Waker waker) : state_(std::make_shared<State>()), pool_(pool) {
    state_->waker = std::move(waker);
  }
  ~OrderedWork();
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;

  /// `weight` counts towards pending() until the work is done: bytes, say.
  void add(std::function<void()> work, std::size_t weight = 1);
  /// The weight of what is not done.
  std::size_t pending() const;
  /// True when all is done.
  bool idle() const;

 private:
  struct Piece {
    std::function<void()> work;
    std::size_t weight;
  };
  struct State {
    mutable std::mutex mutex;
    std::deque<Piece> pieces;
    std::size_t weight = 0;
    bool running = false;
    Waker waker;
  };
  static void run(const std::shared_ptr<State>& state, BlockingPool& pool);

  std::shared_ptr<State> state_;
  BlockingPool& pool_;
};

}  // namespace weir
