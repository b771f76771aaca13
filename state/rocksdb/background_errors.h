#pragma once
#include <rocksdb/listener.h>

#include <mutex>
#include <optional>

namespace weir {

/// Keeps what went wrong in RocksDB's own threads (compaction), until it has recovered. Thread-safe.
class BackgroundErrors final : public rocksdb::EventListener {
 public:
  std::optional<rocksdb::Status> current() const;
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) override;

 private:
  mutable std::mutex mutex_;
  std::optional<rocksdb::Status> error_;
};

}  // namespace weir
