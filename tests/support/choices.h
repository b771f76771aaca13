#pragma once
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace weir {

/// The choices of one run of a model test: which of several things happens next.
///
/// for_all_choices() runs a test once for every sequence of choices that it can make (all interleavings of small scripts); a
/// run must make the same choices again where it is answered the same. for_random_choices() takes a sample of those that are
/// too many.
class Choices {
 public:
  /// A number from 0 to n-1; n >= 1.
  std::size_t pick(std::size_t n) {
    if (random_) return (*random_)() % n;
    if (at_ == made_.size()) made_.push_back({0, n});
    return made_[at_++].chosen;
  }
  template <typename T>
  const T& pick_of(const std::vector<T>& from) {
    return from[pick(from.size())];
  }

 private:
  struct Made {
    std::size_t chosen, of;
  };
  template <typename Run>
  friend std::size_t for_all_choices(Run run);
  template <typename Run>
  friend void for_random_choices(unsigned seeds, Run run);

  /// The next sequence in lexical order. False after the last.
  bool advance() {
    at_ = 0;
    while (!made_.empty() && ++made_.back().chosen == made_.back().of) made_.pop_back();
    return !made_.empty();
  }

  std::vector<Made> made_;
  std::size_t at_ = 0;
  std::mt19937* random_ = nullptr;
};

/// Calls run(choices) for every sequence. Returns how many there were.
template <typename Run>
std::size_t for_all_choices(Run run) {
  Choices choices;
  std::size_t runs = 0;
  do {
    run(choices);
    ++runs;
  } while (choices.advance());
  return runs;
}

/// Calls run(choices) with the choices of the seeds 1 to `seeds`.
template <typename Run>
void for_random_choices(unsigned seeds, Run run) {
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    std::mt19937 random(seed);
    Choices choices;
    choices.random_ = &random;
    run(choices);
  }
}

}  // namespace weir
