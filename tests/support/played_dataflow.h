#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/api/operator.h"
#include "runtime/api/source.h"

namespace weir {

/// What happened to the operators and readers of a dataflow, from any thread; a test waits for what must come.
class Journal {
 public:
  struct Entry {
    std::string step;
    int task;
    std::string what;  ///< `row`, `watermark`, `barrier`, `committed`, `end`; of a reader `committed`
    std::int64_t number = 0, split = 0;
    bool operator==(const Entry&) const = default;
  };
  void add(Entry entry);
  /// Waits until `holds` is true of what happened. False when it is not within the limit.
  bool wait(const std::function<bool(const std::vector<Entry>&)>& holds,
            std::chrono::seconds limit = std::chrono::seconds(30));
  /// Waits until a step's tasks together have `count` entries of that kind.
  bool wait(const std::string& step, const std::string& what, std::size_t count);
  std::vector<Entry> entries() const;
  /// Those of one task, in order, as `row 0:5`, `barrier 2`, `end`.
  std::vector<std::string> of(const std::string& step, int task = 0) const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
};

/// A source whose split s has the rows (s, 0), (s, 1), …: columns `split int, n bigint`. A split is read as far as the test
/// allows.
class PlayedSource final : public BoundSource {
 public:
  explicit PlayedSource(std::string name = "in", Journal* journal = nullptr, std::vector<SplitState> found = {},
                        int batch_rows = 2)
      : splits(std::move(found)),
        name_(std::move(name)),
        journal_(journal),
        batch_rows_(batch_rows),
        ports_{{"", rows_schema()}} {}

  static SchemaPtr rows_schema();
  /// Split `number`, up to `end`; none: it goes on for ever.
  static SplitState split(int number, std::optional<std::int64_t> end = {}) { return {.partition = number, .end = end}; }

  /// Lets all splits be read up to row n.
  void allow(std::int64_t n) const;
  /// Rows that readers emitted.
  std::int64_t emitted() const { return control_->emitted; }
  /// How often readers were asked.
  std::int64_t polls() const { return control_->polls; }

  const std::vector<Port>& ports() const override { return ports_; }
  bool bounded() const override { return is_bounded; }
  std::unique_ptr<SplitEnumerator> create_enumerator(AttemptContext&) const override;
  std::unique_ptr<SourceReader> create_reader(AttemptContext&) const override;
  std::string type() const override { return "played"; }

  bool replayable() const override { return is_replayable; }
  std::vector<SplitState> splits;  ///< that the enumerator finds
  bool is_bounded = false, is_replayable = true;
  void add_errors_port();
  /// Called by readers before they emit; may throw.
  std::function<void(const SplitState&)> before_row;

 private:
  class Reader;
  class Enumerator;
  struct Control {
    std::mutex mutex;
    std::vector<Waker> wakers;
    std::atomic<std::int64_t> allowed{0}, emitted{0}, polls{0};
  };
  const std::string name_;
  Journal* const journal_;
  const int batch_rows_;
  std::vector<Port> ports_;
  const std::shared_ptr<Control> control_ = std::make_shared<Control>();
};

/// A step or sink that passes all its rows on through its ports and tells the journal what happens to it.
class PlayedStep final : public BoundSink {
 public:
  /// What an operator is asked; `waker` may be kept.
  struct Call {
    std::string what;
    int task;
    std::int64_t number;
    const Waker& waker;
  };

  PlayedStep(std::string name, Journal& journal, std::vector<Exchange> exchanges = {{}}, std::vector<Port> ports = {})
      : name_(std::move(name)), journal_(journal), exchanges_(std::move(exchanges)), ports_(std::move(ports)) {}

  const std::vector<Port>& ports() const override { return ports_; }
  Exchange exchange(int input) const override { return exchanges_.at(static_cast<std::size_t>(input)); }
  std::vector<Duration> window_grains() const override { return grains; }
  std::unique_ptr<Operator> create(AttemptContext&) const override;
  std::string guarantee() const override { return sink_guarantee; }
  std::unique_ptr<CommitAuthority> create_authority(AttemptContext& attempt) const override {
    return make_authority ? make_authority(attempt) : nullptr;
  }

  /// Answers calls; kDone where it is empty. May throw.
  std::function<Progress(const Call&)> answer;
  std::function<std::unique_ptr<CommitAuthority>(AttemptContext&)> make_authority;
  std::vector<Duration> grains;
  std::string sink_guarantee = "none";

 private:
  class Played;
  const std::string name_;
  Journal& journal_;
  const std::vector<Exchange> exchanges_;
  const std::vector<Port> ports_;
};

}  // namespace weir
