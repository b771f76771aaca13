#include "tests/pipelines/run_case.h"

#include <cstdlib>
#include <fstream>

#include "runtime/base/error.h"
#include "runtime/job/job.h"
#include "state/rocksdb/rocksdb_stores.h"
#include "tests/support/source_tree.h"
#include "tests/support/temporary_folder.h"
#include "tools/weir/pipeline_command.h"

namespace weir {

namespace fs = std::filesystem;

const std::vector<Way>& all_ways() {
  static const std::vector<Way> ways = {{.name = "plain"},
                                        {.name = "restored in the middle", .batch_rows = 1, .restored = true},
                                        {.name = "parallelism 2", .parallelism = 2},
                                        {.name = "batch size 1", .batch_rows = 1}};
  return ways;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string first_difference(const std::vector<std::string>& found, const std::vector<std::string>& expected) {
  std::string text = fmt::format("{} rows, expected {}", found.size(), expected.size());
  int shown = 0;
  for (std::size_t i = 0; i < std::max(found.size(), expected.size()) && shown < 3; ++i) {
    const std::string* is = i < found.size() ? &found[i] : nullptr;
    const std::string* should = i < expected.size() ? &expected[i] : nullptr;
    if (is && should && *is == *should) continue;
    text += fmt::format("\n  row {}: {}\n  expected: {}", i + 1, is ? *is : "none", should ? *should : "none");
    ++shown;
  }
  return text;
}

std::vector<fs::path> case_folders(const std::string& corpus) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(source_tree() / "tests/pipelines" / corpus))
    if (fs::exists(entry.path() / "pipeline.yaml")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

namespace {

JobEnd run_once(const fs::path& folder, const TemporaryFolder& scratch, const Way& way,
                std::optional<std::int64_t> stop_after_rows) {
  const auto pipeline = load_pipeline(
      (folder / "pipeline.yaml").string(),
      {"parallelism=" + std::to_string(way.parallelism), "checkpoint.dir=" + (scratch / "checkpoints").string()}, {});
  if (!pipeline) throw std::runtime_error("the pipeline is not valid: " + folder.string());
  JobOptions options;
  options.quiet = true;
  options.threads = 2;
  options.batch_rows = way.batch_rows;
  options.stop_after_rows = stop_after_rows;
  StopRequest stop;
  const auto stores = make_rocksdb_stores();
  Job job(pipeline->file, pipeline->graph, options, *stores, system_clock(), stop);
  return job.run();
}

void collect(const fs::path& out, CaseOutput& output) {
  std::vector<fs::path> parts;
  for (const auto& entry : fs::recursive_directory_iterator(out))
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with(".")) parts.push_back(entry.path());
  std::sort(parts.begin(), parts.end());
  for (const fs::path& part : parts) {
    std::string sink = fs::relative(part.parent_path(), out).string();
    if (sink == ".") sink.clear();
    for (std::string& line : lines_of(part)) output[sink].push_back(std::move(line));
  }
}

}  // namespace

CaseOutput run_case(const fs::path& folder, const Way& way, std::int64_t rows) {
  const TemporaryFolder scratch;
  fs::create_directories(scratch / "out");
  setenv("CASE", folder.c_str(), 1);
  setenv("OUT", (scratch / "out").c_str(), 1);
  // A run that ended by itself instead would restore nothing but a finished job.
  if (way.restored && rows > 1 && run_once(folder, scratch, way, rows / 2) != JobEnd::kStoppedAfter)
    throw std::runtime_error(
        fmt::format("the first run was not stopped after {} of {} rows: it had none left", rows / 2, rows));
  if (run_once(folder, scratch, way, std::nullopt) != JobEnd::kFinished) throw std::runtime_error("the run did not finish");
  CaseOutput output;
  collect(scratch / "out", output);
  return output;
}

}  // namespace weir
