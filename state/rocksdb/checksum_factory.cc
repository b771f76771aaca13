#include "state/rocksdb/checksum_factory.h"

#include "runtime/state/file_checksum.h"

namespace weir {
namespace {

class ChecksumGenerator final : public rocksdb::FileChecksumGenerator {
 public:
  void Update(const char* data, size_t n) override { checksum_.add({data, n}); }
  void Finalize() override { text_ = checksum_.text(); }
  std::string GetChecksum() const override { return text_; }
  const char* Name() const override { return "weir.xxh3_128"; }

 private:
  FileChecksum checksum_;
  std::string text_;
};

class ChecksumFactory final : public rocksdb::FileChecksumGenFactory {
 public:
  std::unique_ptr<rocksdb::FileChecksumGenerator> CreateFileChecksumGenerator(
      const rocksdb::FileChecksumGenContext&) override {
    return std::make_unique<ChecksumGenerator>();
  }
  const char* Name() const override { return "weir.xxh3_128"; }
};

}  // namespace

std::shared_ptr<rocksdb::FileChecksumGenFactory> make_checksum_factory() { return std::make_shared<ChecksumFactory>(); }

}  // namespace weir
