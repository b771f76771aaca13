#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weir {

/// How a pipeline of the corpus is run. Every way must give the same rows.
struct Way {
  std::string name;
  int parallelism = 1;
  int batch_rows = 2000;
  bool restored = false;  ///< stopped after half of the input's rows, then restored from the checkpoint
};
/// plain; stopped and restored in the middle; parallelism 2; batch size 1.
const std::vector<Way>& all_ways();

/// What a run wrote: per sink folder below ${OUT} (or "" for ${OUT} itself) the lines of its parts in the order of their
/// names.
using CaseOutput = std::map<std::string, std::vector<std::string>>;

/// Runs `folder`/pipeline.yaml with ${CASE} = the folder and ${OUT} = an empty folder. `rows` is the number of input rows
/// (for the way that stops in the middle; with one row or none it runs whole). Throws weir::Error for what ends the job, and
/// std::runtime_error when a run did not end as its way says: the first run of `restored` with rows left, all others
/// finished.
CaseOutput run_case(const std::filesystem::path& folder, const Way& way, std::int64_t rows);

/// The folders of tests/pipelines/<corpus>, sorted.
std::vector<std::filesystem::path> case_folders(const std::string& corpus);
/// The lines of a file; a .gz is not read.
std::vector<std::string> lines_of(const std::filesystem::path& file);
/// In words: how many rows there are of each, and the first three places at which they differ.
std::string first_difference(const std::vector<std::string>& found, const std::vector<std::string>& expected);

}  // namespace weir
