#pragma once
#include <string>
#include <string_view>

#include "runtime/base/ids.h"

namespace weir {

/// Identifies a part among all that any run of any job writes into one folder.
struct PartId {
  std::string job;
  std::string home;  ///< AttemptContext::home
  std::string sink;
  RunId run;
  Epoch epoch;
  int task = 0;
  int number = 0;  ///< among the parts of this task and epoch
};

/// `.weir.JOB.HOME.SINK.RUN.EPOCH.TASK.NUMBER.pending`: hidden, so that readers of the folder pass it over.
std::string pending_name(const PartId& part);

/// `part-EPOCH-TASK-NUMBER-RUN.EXTENSION` with the first eight digits of the run. Sorts by epoch. The run is there because
/// epochs begin at 1 again where somebody deletes the checkpoints and keeps the folder: no part may replace another.
std::string final_name(const PartId& part, std::string_view extension);

/// True for pending_name of any part of the job of this name and home.
bool is_pending_of(std::string_view job, std::string_view home, std::string_view file_name);
/// True if `pending` is a pending_name of a part of a job of this name, wherever its home, and `final` the final_name of the
/// same part.
bool are_names_of_part(std::string_view job, std::string_view pending, std::string_view final);

}  // namespace weir
