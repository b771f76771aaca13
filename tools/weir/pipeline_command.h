#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/pipeline_file.h"
#include "runtime/graph/graph.h"
#include "runtime/job/job.h"

namespace weir {

/// A pipeline file read, validated and bound; keeps alive all that the graph refers to.
struct LoadedPipeline {
  std::string text;
  std::unique_ptr<Components> components;
  PipelineFile file;
  Graph graph;
};

/// How text output is coloured: `--color`.
struct Looks {
  bool color = false;
};

/// Reads and binds a pipeline file; problems and warnings are printed to standard error. Nothing when there are errors.
/// Throws Error(kUser) when the file cannot be read.
std::unique_ptr<LoadedPipeline> load_pipeline(const std::string& path, const std::vector<std::string>& overrides,
                                              Looks looks);

/// `weir validate FILE...`: 0, or 2 when one has errors.
int validate_command(const std::vector<std::string>& paths, const std::vector<std::string>& overrides, Looks looks);

/// `weir run FILE`.
int run_command(const std::string& path, const std::vector<std::string>& overrides, JobOptions options, Looks looks);

/// `weir explain FILE`: `text`, `json` or `mermaid`.
int explain_command(const std::string& path, const std::vector<std::string>& overrides, const std::string& format,
                    Looks looks);

}  // namespace weir
