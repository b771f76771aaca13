#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "runtime/api/operator.h"
#include "runtime/exec/channel.h"
#include "runtime/exec/element.h"

namespace weir {

/// Somewhere elements go: an operator chained in the same task, or the channels to other tasks.
class Target {
 public:
  virtual ~Target() = default;
  /// Takes the element, and works on it or keeps it.
  virtual void offer(Element element, int input) = 0;
  /// True while something offered is not done with yet; nothing new should be produced for it.
  virtual bool blocked() const = 0;
  /// Goes on with what is kept. True if anything moved.
  virtual bool settle() = 0;
};

/// What a chain tells its task.
class ChainListener {
 public:
  virtual ~ChainListener() = default;
  /// A node has passed barrier `epoch`, and its operator added its part to the snapshot.
  virtual void passed_barrier(Epoch epoch) = 0;
  /// A node has passed the end of its input, and its operator added its part to the final snapshot.
  virtual void passed_end() = 0;
  /// What the task hands in at the barrier in progress, or at its end.
  virtual TaskSnapshot& barrier_snapshot() = 0;
  virtual TaskSnapshot& final_snapshot() = 0;
};

/// The outgoing edges of a node by port: hands each element to all targets of the port.
class Ports {
 public:
  explicit Ports(std::size_t count) : targets_(count) {}
  void connect(int port, Target& target, int input) { targets_[static_cast<std::size_t>(port)].push_back({&target, input}); }
  void emit(int port, const BatchPtr& batch) const {
    for (const Edge& e : targets_[static_cast<std::size_t>(port)]) e.target->offer(batch, e.input);
  }
  /// Control elements go to all ports.
  void broadcast(const Element& control) const;
  bool blocked() const;

 private:
  struct Edge {
    Target* target;
    int input;
  };
  std::vector<std::vector<Edge>> targets_;
};

/// An operator in its task's chain, with what waits before it. Elements are worked on in order; while the operator is
/// half-way (kMore, kWait) or its output is full, they queue up here. Belongs to the task's thread, but for its wakers.
class ChainNode final : public Target, private Output {
 public:
  ChainNode(std::unique_ptr<Operator> op, std::size_t ports, TaskCounters& counters, ChainListener& listener)
      : operator_(std::move(op)), ports_(ports), counters_(counters), listener_(listener) {}

  Ports& ports() { return ports_; }
  Operator& op() { return *operator_; }
  /// What makes resume() or on_wake() be called, after which `wake_task` makes the task look. Copies may be used from any
  /// thread, also when the node is gone.
  Waker waker(Waker wake_task) const {
    return [woken = woken_, wake_task = std::move(wake_task)] { woken->store(true), wake_task(); };
  }

  void offer(Element element, int input) override;
  bool blocked() const override { return half_way_ || !inbox_.empty() || ports_.blocked(); }
  /// True if settle() may have something to do.
  bool has_work() const { return blocked() || woken_->load(std::memory_order_relaxed); }
  bool settle() override;

 private:
  struct Waiting {
    Element element;
    int input;
  };
  void emit(int port, BatchPtr batch) override;
  bool full() const override { return ports_.blocked(); }
  bool drain();
  Waiting take_first();
  void work(Waiting waiting);
  template <typename Call>
  Progress call(const Call& call);
  void finish(Progress progress, Element control);
  void pass_on(const Element& control);

  std::unique_ptr<Operator> operator_;
  Ports ports_;
  TaskCounters& counters_;
  ChainListener& listener_;
  std::deque<Waiting> inbox_;
  bool half_way_ = false;
  Progress progress_ = Progress::kDone;
  Element control_;  ///< what to pass on when the operator is done; a null batch for none
  bool working_ = false;
  bool ended_ = false;
  const std::shared_ptr<std::atomic<bool>> woken_ = std::make_shared<std::atomic<bool>>(false);  ///< shared with the wakers
};

/// The channels of one outgoing edge to all tasks of the next step. What a channel refuses is kept here, in order.
class ChannelTarget final : public Target {
 public:
  /// `task` is the index of the sending task, for kForward.
  ChannelTarget(Exchange exchange, std::vector<std::shared_ptr<Channel>> channels, int task)
      : exchange_(std::move(exchange)), channels_(std::move(channels)), kept_(channels_.size()), next_(task) {}

  void offer(Element element, int input) override;
  bool blocked() const override { return kept_count_ > 0; }
  bool settle() override;

 private:
  void send(std::size_t channel, Element element);
  void split_by_hash(const BatchPtr& batch);

  Exchange exchange_;
  std::vector<std::shared_ptr<Channel>> channels_;
  std::vector<std::deque<Element>> kept_;
  std::size_t kept_count_ = 0;
  int next_;
};

}  // namespace weir
