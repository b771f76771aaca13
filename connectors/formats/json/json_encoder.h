#pragma once
#include <memory>
#include <string>
#include <vector>

#include "connectors/formats/encoder.h"
#include "connectors/formats/json/json_options.h"
#include "connectors/formats/json/json_writer.h"

namespace weir {

/// Writes each row as one JSON object: the chosen columns in order, no white space, nulls as `null`.
class JsonEncoder final : public RowEncoder {
 public:
  /// `columns` are indices into the schema.
  JsonEncoder(const Schema& schema, std::vector<int> columns, const JsonOptions& options);

  void encode(const RecordBatch& batch, Buffer& out, std::vector<std::size_t>& ends) override;

 private:
  /// One column of the batch being written, its layout taken apart once per batch.
  struct Member {
    std::string prefix;  ///< `,"price":`, 16 bytes or more of memory
    std::size_t prefix_size;
    int index;
    TypeKind kind;
    const Column* column = nullptr;
    const std::uint8_t* validity = nullptr;
    const void* values = nullptr;
    const std::int32_t* offsets = nullptr;

    template <typename T>
    T value(std::int64_t i) const {
      return static_cast<const T*>(values)[i];
    }
  };
  void take_apart(const RecordBatch& batch);
  std::size_t row_bound(std::int64_t i) const;
  char* write_row(char* to, std::int64_t i);
  char* write_value(char* to, const Member& m, std::int64_t i);

  JsonWriter writer_;
  std::vector<Member> members_;
  std::vector<std::size_t> variable_;  ///< members whose length depends on the value
  std::size_t fixed_bound_ = 0;
};

}  // namespace weir
