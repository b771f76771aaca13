#include "connectors/kafka/sink/deliveries.h"

#include "connectors/kafka/sink/producer.h"

namespace weir {

std::vector<Deliveries::Refused> Deliveries::take_refused() {
  std::lock_guard lock(mutex_);
  if (!failure_) trouble_ = false;
  return std::exchange(refused_, {});
}

std::optional<Deliveries::Failure> Deliveries::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void Deliveries::answered(std::uint64_t acknowledged, Buffer memory) {
  acknowledged_.fetch_add(acknowledged, std::memory_order_relaxed);
  if (memory.capacity()) {
    std::lock_guard lock(mutex_);
    if (memory_.size() < kKeptBuffers) memory_.push_back(std::move(memory));
  }
  open_.fetch_sub(1, std::memory_order_acq_rel);
  wake();
}

void Deliveries::refused(Refused row) {
  {
    std::lock_guard lock(mutex_);
    refused_.push_back(std::move(row));
    trouble_ = true;
  }
  wake();
}

void Deliveries::failed(Failure failure) {
  {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    trouble_ = true;
  }
  wake();
}

Buffer Deliveries::take_memory() {
  std::lock_guard lock(mutex_);
  if (memory_.empty()) return {};
  Buffer memory = std::move(memory_.back());
  memory_.pop_back();
  memory.clear();
  return memory;
}

namespace {

// What librdkafka keeps for a message beside its bytes.
constexpr std::int64_t kBytesPerMessage = 200;

}  // namespace

SentBatch::SentBatch(std::shared_ptr<Deliveries> task, Producer& producer, Buffer values, BatchPtr rows, std::int32_t count)
    : task_(std::move(task)),
      producer_(producer),
      values_(std::move(values)),
      rows_(std::move(rows)),
      bytes_(static_cast<std::int64_t>(values_.size() ? values_.size() : rows_->bytes()) + count * kBytesPerMessage),
      open_(count + 1) {
  task_->sent();
  producer_.in_flight(bytes_);
}

void SentBatch::answer(std::int32_t count, std::int32_t acknowledged) {
  if (acknowledged) acknowledged_.fetch_add(acknowledged, std::memory_order_relaxed);
  if (open_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
  producer_.in_flight(-bytes_);
  task_->answered(static_cast<std::uint64_t>(acknowledged_.load(std::memory_order_relaxed)), std::move(values_));
  delete this;
}

}  // namespace weir
