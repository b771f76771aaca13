#include "runtime/api/evaluation.h"

namespace weir {

std::uint64_t mix_seed(std::uint64_t seed, std::string_view name) {
  // FNV-1a over the name, then the finaliser of splitmix64: near seeds and names give unrelated results.
  std::uint64_t h = seed ^ 0xcbf29ce484222325u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

void Evaluation::open(const TaskContext& task) {
  clock_ = task.attempt->clock;
  seed_ = mix_seed(mix_seed(static_cast<std::uint64_t>(task.index), task.attempt->run.value), task.name);
}

EvaluationContext Evaluation::next(std::int64_t rows) {
  const EvaluationContext context{.now = clock_->now(), .random_seed = seed_, .first_row = rows_};
  rows_ += rows;
  return context;
}

}  // namespace weir
