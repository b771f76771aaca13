#include "runtime/api/ordered_work.h"

namespace weir {

OrderedWork::~OrderedWork() {
  std::lock_guard lock(state_->mutex);
  state_->pieces.clear();
}

void OrderedWork::add(std::function<void()> work, std::size_t weight) {
  {
    std::lock_guard lock(state_->mutex);
    state_->pieces.push_back({std::move(work), weight});
    state_->weight += weight;
    if (state_->running) return;
    state_->running = true;
  }
  pool_.run([state = state_, &pool = pool_] { run(state, pool); });
}

void OrderedWork::run(const std::shared_ptr<State>& state, BlockingPool& pool) {
  Piece piece;
  {
    std::lock_guard lock(state->mutex);
    if (state->pieces.empty()) return;  // the task is gone
    piece = std::move(state->pieces.front());
    state->pieces.pop_front();
  }
  piece.work();  // if it throws, `running` stays true: nothing more is run
  bool more;
  {
    std::lock_guard lock(state->mutex);
    state->weight -= piece.weight;
    more = state->running = !state->pieces.empty();
  }
  state->waker();
  if (more) pool.run([state, &pool] { run(state, pool); });
}

std::size_t OrderedWork::pending() const {
  std::lock_guard lock(state_->mutex);
  return state_->weight;
}

bool OrderedWork::idle() const {
  std::lock_guard lock(state_->mutex);
  return !state_->running && state_->pieces.empty();
}

}  // namespace weir
