// The gate against a plain model of what it promises, in all orders of small scripts.
#include <catch2/catch.hpp>
#include <set>

#include "runtime/exec/input_gate.h"
#include "tests/support/batches.h"
#include "tests/support/choices.h"

namespace weir {
namespace {

using Words = std::vector<std::string>;

/// What the gate promises, without saying which channel it reads next. Elements are words: `r` and a number, `W` and a time,
/// `B` and an epoch, `idle`, `end`; of an input `end@0`.
struct Model {
  struct Input {
    Words queue;
    std::optional<int> watermark{};
    bool held = false, idle = false, ended = false, wanted = true;
    bool readable(bool aligning) const {
      return !queue.empty() && !held && !ended && (wanted || aligning || queue.front()[0] != 'r');
    }
    bool operator<(const Input& o) const {
      return std::tie(queue, watermark, held, idle, ended, wanted) <
             std::tie(o.queue, o.watermark, o.held, o.idle, o.ended, o.wanted);
    }
  };
  std::vector<Input> inputs;
  Words pending;  ///< to be handed on, before anything else is read
  std::optional<int> merged{};
  bool told_idle = false;
  std::string barrier;  ///< in progress
  bool operator<(const Model& o) const {
    return std::tie(inputs, pending, merged, told_idle, barrier) <
           std::tie(o.inputs, o.pending, o.merged, o.told_idle, o.barrier);
  }

  template <typename F>
  bool all(F f) const {
    return std::all_of(inputs.begin(), inputs.end(), f);
  }
  bool all_ended() const {
    return all([](const Input& i) { return i.ended; });
  }
  bool quiet() const {
    return all([](const Input& i) { return i.ended || i.idle; });
  }

  /// The least of those that count. None counts: the greatest of the idle ones; all ended: the least of all.
  void merge() {
    std::optional<std::optional<int>> w;
    for (const Input& i : inputs) {
      if (!quiet() && (i.idle || i.ended)) continue;
      if (quiet() && !all_ended() && i.ended) continue;
      if (!w) w = i.watermark;
      else w = quiet() && !all_ended() ? std::max(*w, i.watermark) : std::min(*w, i.watermark);
    }
    if (w && *w > merged) merged = *w, pending.push_back(fmt::format("W{}", **w));
  }

  void tell_idle() {
    if (quiet() && !all_ended() && !std::exchange(told_idle, true)) pending.push_back("idle");
  }

  void align() {
    if (barrier.empty() || !all([](const Input& i) { return i.held || i.ended; })) return;
    pending.push_back(std::exchange(barrier, ""));
    for (Input& i : inputs) i.held = false;
  }

  void read(std::size_t n) {
    Input& i = inputs[n];
    const std::string word = i.queue.front();
    i.queue.erase(i.queue.begin());
    if (word[0] == 'r') i.idle = told_idle = false, pending.push_back(word);
    if (word[0] == 'W')
      i.idle = told_idle = false, i.watermark = std::max(i.watermark, std::optional(std::stoi(word.substr(1)))), merge();
    if (word[0] == 'B') i.held = true, barrier = word, align();
    if (word == "idle") i.idle = true, merge(), tell_idle();
    if (word == "end") {
      i.ended = true;
      if (!all_ended()) pending.push_back(fmt::format("end@{}", n));
      merge(), tell_idle(), align();
    }
  }
};

/// All ways in which the model may have come to what the gate said so far.
class Possible {
 public:
  explicit Possible(std::size_t channels) { states_.insert(Model{.inputs = std::vector<Model::Input>(channels)}); }

  void push(std::size_t channel, const std::string& word) {
    std::set<Model> next;
    for (Model m : states_) {
      Words& queue = m.inputs[channel].queue;
      if (word[0] == 'W' && !queue.empty() && queue.back()[0] == 'W') queue.back() = word;  // the channel keeps the newest
      else queue.push_back(word);
      next.insert(std::move(m));
    }
    states_ = std::move(next);
  }

  void want(std::size_t channel, bool wanted) {
    std::set<Model> next;
    for (Model m : states_) m.inputs[channel].wanted = wanted, next.insert(std::move(m));
    states_ = std::move(next);
  }

  /// False if the gate cannot say `word` now.
  bool said(const std::string& word) {
    std::set<Model> seen, next;
    std::vector<Model> open(states_.begin(), states_.end());
    while (!open.empty()) {
      Model m = std::move(open.back());
      open.pop_back();
      if (!seen.insert(m).second) continue;
      if (!m.pending.empty()) {
        if (m.pending.front() != word) continue;
        m.pending.erase(m.pending.begin());
        next.insert(std::move(m));
        continue;
      }
      bool reads = false;
      for (std::size_t n = 0; n < m.inputs.size(); ++n) {
        if (!m.inputs[n].readable(!m.barrier.empty())) continue;
        reads = true;
        open.push_back(m);
        open.back().read(n);
      }
      if (!reads && word == (m.all_ended() ? "end of input" : "nothing")) next.insert(std::move(m));
    }
    states_ = std::move(next);
    return !states_.empty();
  }

 private:
  std::set<Model> states_;
};

class GateRun {
 public:
  /// With `wanting` inputs are wanted or not as it is chosen.
  GateRun(std::vector<Words> scripts, Choices& choices, bool wanting = false)
      : scripts_(std::move(scripts)),
        choices_(choices),
        wanting_(wanting),
        wanted_(scripts_.size(), true),
        at_(scripts_.size()),
        possible_(scripts_.size()) {
    std::vector<InputGate::Source> sources;
    for (std::size_t i = 0; i < scripts_.size(); ++i)
      sources.push_back({channels_.emplace_back(std::make_shared<Channel>(100)), static_cast<int>(i)});
    gate_.emplace(std::move(sources), [this](int input) { return wanted_[static_cast<std::size_t>(input)]; });
  }

  /// Pushes and polls in the order that is chosen, then polls until nothing comes.
  void run() {
    while (true) {
      std::vector<std::size_t> open;
      for (std::size_t i = 0; i < scripts_.size(); ++i)
        if (at_[i] < scripts_[i].size()) open.push_back(i);
      if (open.empty()) break;
      if (wanting_ && choices_.pick(4) == 0) want(choices_.pick(wanted_.size()), choices_.pick(2) == 0);
      const std::size_t chosen = choices_.pick(open.size() + (may_poll_ ? 1 : 0));
      if (chosen == open.size()) poll();
      else push(open[chosen]);
    }
    for (std::size_t i = 0; i < wanted_.size(); ++i) want(i, true);
    while (may_poll_) poll();
    if (said_.back() != "end of input") FAIL("it stands still: " << fmt::format("{}", fmt::join(said_, " ")));
  }

 private:
  void want(std::size_t i, bool wanted) {
    wanted_[i] = wanted;
    possible_.want(i, wanted);
    said_.push_back(fmt::format("<{}:{}wanted>", i, wanted ? "" : "un"));
    may_poll_ = true;
  }

  void push(std::size_t i) {
    const std::string& word = scripts_[i][at_[i]++];
    possible_.push(i, word);
    said_.push_back(fmt::format("<{}:{}>", i, word));
    may_poll_ = true;
    const int number = word.size() > 1 && word[0] <= 'Z' ? std::stoi(word.substr(1)) : 0;
    Channel& channel = *channels_[i];
    if (word[0] == 'r') {
      if (!channel.try_push(batch_of(schema_, {word.substr(1)}))) FAIL("refused");
    } else if (word[0] == 'W') channel.push_control(Watermark{{number}});
    else if (word[0] == 'B') channel.push_control(Barrier{{static_cast<std::uint64_t>(number)}});
    else if (word == "idle") channel.push_control(Idle{});
    else channel.push_control(End{});
  }

  void poll() {
    said_.push_back(word());
    may_poll_ = said_.back() != "nothing" && said_.back() != "end of input";
    if (!possible_.said(said_.back())) FAIL("not what the gate may say: " << fmt::format("{}", fmt::join(said_, " ")));
  }

  std::string word() {
    InputGate::Merged merged;
    const InputStatus status = gate_->poll_next(merged);
    if (status == InputStatus::kNothingAvailable) return "nothing";
    if (status == InputStatus::kEndOfInput) return "end of input";
    if (const auto* batch = std::get_if<BatchPtr>(&merged.element))
      return fmt::format("r{}", (*batch)->column(0).values<std::int64_t>()[0]);
    if (const auto* w = std::get_if<Watermark>(&merged.element)) return fmt::format("W{}", w->time.micros);
    if (const auto* b = std::get_if<Barrier>(&merged.element)) return fmt::format("B{}", b->epoch.value);
    if (std::holds_alternative<InputEnd>(merged.element)) return fmt::format("end@{}", merged.input);
    return std::holds_alternative<Idle>(merged.element) ? "idle" : "end";
  }

  const std::vector<Words> scripts_;
  Choices& choices_;
  const bool wanting_;
  std::vector<bool> wanted_;
  const SchemaPtr schema_ = schema_of("id bigint");
  std::vector<std::size_t> at_;
  std::vector<std::shared_ptr<Channel>> channels_;
  std::optional<InputGate> gate_;
  Possible possible_;
  Words said_;
  bool may_poll_ = true;
};

void in_all_orders(const std::vector<Words>& scripts, std::size_t least) {
  CHECK(for_all_choices([&](Choices& choices) { GateRun(scripts, choices).run(); }) >= least);
}

/// A channel that follows the protocol: epochs rise by one, and come before the end or not at all.
Words random_script(Choices& choices, int channel, int barriers) {
  Words words;
  int epoch = 0, time = 0, rows = 0;
  for (std::size_t length = 3 + choices.pick(7); words.size() < length;) {
    switch (choices.pick(5)) {
      case 0:
      case 1: words.push_back(fmt::format("r{}", channel * 100 + ++rows)); break;
      case 2: words.push_back(fmt::format("W{}", time += 1 + static_cast<int>(choices.pick(9)))); break;
      case 3: words.push_back("idle"); break;
      case 4:
        if (epoch < barriers) words.push_back(fmt::format("B{}", ++epoch));
    }
  }
  if (choices.pick(2))
    while (epoch < barriers) words.push_back(fmt::format("B{}", ++epoch));
  words.push_back("end");
  return words;
}

}  // namespace

TEST_CASE("the gate does what its model may do: rows, barriers and ends in all orders") {
  in_all_orders({{"r1", "B1", "r2", "end"}, {"B1", "end"}}, 500);
  in_all_orders({{"B1", "end"}, {"r101", "end"}}, 30);
  in_all_orders({{"B1", "B2", "end"}, {"B1", "end"}}, 100);
  in_all_orders({{"B1", "end"}, {"end"}, {"end"}}, 100);
}

TEST_CASE("the same with watermarks and channels without rows") {
  in_all_orders({{"W5", "idle", "W9", "end"}, {"W7", "end"}}, 500);
  in_all_orders({{"idle", "B1", "end"}, {"W3", "end"}}, 100);
  in_all_orders({{"W4", "idle", "end"}, {"W2", "end"}}, 100);
}

TEST_CASE("the same for many longer scripts of two to four channels") {
  for_random_choices(400, [](Choices& choices) {
    std::vector<Words> scripts;
    const int barriers = static_cast<int>(choices.pick(3));
    for (std::size_t n = 2 + choices.pick(3), i = 0; i < n; ++i)
      scripts.push_back(random_script(choices, static_cast<int>(i), barriers));
    GateRun(scripts, choices, choices.pick(2) == 1).run();
  });
}

}  // namespace weir
