#pragma once
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "runtime/api/context.h"
#include "runtime/exec/element.h"

namespace weir {

/// A bounded pipe from one task to one task. Batches cost credit, control elements do not, and the order between them is kept;
/// a watermark replaces one before it if nothing lies between.
///
/// One task pushes, one pops; the two may run on different threads. The wakers are set before the first push: `readable` is used
/// after each push into an empty channel, `writable` when a pop frees credit after a refusal.
class Channel {
 public:
  /// `credit`: how many batches it holds before it refuses. A larger value costs memory and alignment time.
  explicit Channel(std::size_t credit) : credit_(credit) {}
  void set_wakers(Waker readable, Waker writable) { readable_ = std::move(readable), writable_ = std::move(writable); }

  /// False (and the batch is not taken) when there is no credit.
  bool try_push(const BatchPtr& batch);
  /// Control elements are always taken.
  void push_control(Element control);
  std::optional<Element> pop();
  bool empty() const;

 private:
  const std::size_t credit_;
  mutable std::mutex mutex_;
  std::deque<Element> elements_;
  std::size_t batches_ = 0;
  bool refused_ = false;
  Waker readable_, writable_;
};

}  // namespace weir
