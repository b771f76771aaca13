#include "state/rocksdb/background_errors.h"

namespace weir {

std::optional<rocksdb::Status> BackgroundErrors::current() const {
  std::lock_guard lock(mutex_);
  return error_;
}

void BackgroundErrors::OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* error) {
  std::lock_guard lock(mutex_);
  error_ = *error;
}

void BackgroundErrors::OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) {
  std::lock_guard lock(mutex_);
  if (info.new_bg_error.ok()) error_.reset();
  else error_ = info.new_bg_error;
}

}  // namespace weir
