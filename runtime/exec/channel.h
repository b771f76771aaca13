#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "runtime/api/context.h"
#include "runtime/exec/element.h"

namespace weir {

/// A bounded pipe from one task to one task. Batches cost credit, control elements do not, and the order between them is
/// kept; a watermark replaces one before it if nothing lies between, but for the last one, which is endless. A batch is
/// taken while there are fewer than `batches` of them and, with it, no more than `bytes`; an empty channel takes any.
///
/// One task pushes, one pops; the two may run on different threads. The wakers are set before the first push: `readable` is
/// used after each push into an empty channel, `writable` when a pop frees credit after a refusal.
class Channel {
 public:
  /// More credit costs memory and alignment time.
  explicit Channel(std::size_t batches, std::size_t bytes = SIZE_MAX) : most_batches_(batches), most_bytes_(bytes) {}
  void set_wakers(Waker readable, Waker writable) { readable_ = std::move(readable), writable_ = std::move(writable); }

  /// False (and the batch is not taken) when there is no credit.
  bool try_push(const BatchPtr& batch);
  /// Control elements are always taken.
  void push_control(Element control);
  /// The element in front, if there is one. With kControl a batch in front stays.
  enum class Pop { kAny, kControl };
  std::optional<Element> pop(Pop what = Pop::kAny);
  bool empty() const;

 private:
  const std::size_t most_batches_, most_bytes_;
  mutable std::mutex mutex_;
  std::deque<Element> elements_;
  std::size_t batches_ = 0, bytes_ = 0;
  bool refused_ = false;
  Waker readable_, writable_;
};

}  // namespace weir
