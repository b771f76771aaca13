#pragma once
#include <filesystem>
#include <memory>

#include "runtime/job/claimed.h"
#include "runtime/job/setting.h"

namespace weir {

/// The live database of an attempt, with the tables that the steps declare. Its folder is deleted when it is closed. Opening
/// and closing block.
class LiveState {
 public:
  /// Nothing is opened where no step declares a table.
  LiveState(const JobSetting& setting, const CheckpointFolder& folder, const Claimed& claimed, AttemptContext& attempt);

  /// Null where no step declares a table.
  StateStore* store() const { return store_.get(); }

 private:
  struct Folder {
    std::filesystem::path path;
    ~Folder();
  } folder_;  ///< goes last
  std::unique_ptr<StateStore> store_;
};

}  // namespace weir
