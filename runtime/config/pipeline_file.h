#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/config/catalogue.h"
#include "runtime/config/config.h"
#include "runtime/config/environment.h"

namespace weir {

/// What a step or sink reads: a source or step, or a named output of one (`step.late`, `x.errors`, `route.big`).
struct InputReference {
  std::string component;
  std::string output;  ///< "" for the unnamed output
  Location location;
};

/// A format with its options.
struct FormatConfig {
  std::string type;
  const Declaration* declaration = nullptr;
  Config config;
  Location location;
};

/// A connection, source, step or sink as written. Its `config` holds the common keys too (`on_error`, `schema`, …).
struct Component {
  ComponentKind kind = ComponentKind::kSource;
  std::string name;
  Location name_location;
  std::string type;                          ///< `kafka`; for steps the operation
  const Declaration* declaration = nullptr;  ///< null where the type is unknown or not supported: already reported
  std::vector<InputReference> inputs;        ///< steps and sinks
  std::optional<FormatConfig> format;        ///< sources and sinks that take one
  std::string connection;                    ///< "" where the component has none
  Config config;

  /// True if it was read without a problem.
  bool ok() const { return declaration && config.ok() && (!format || (format->declaration && format->config.ok())); }
  /// True if it can be bound, maybe only to find more problems (Config::usable).
  bool usable() const {
    return declaration && config.usable() && (!format || (format->declaration && format->config.usable()));
  }
};

/// A pipeline file, read and validated as far as that is possible without knowing what the components do.
struct PipelineFile {
  std::shared_ptr<const SourceText> source;
  Text name;
  std::optional<std::int64_t> parallelism;  ///< as written
  std::optional<std::int64_t> memory;       ///< bytes, as written
  struct Checkpoint {
    std::string dir = "checkpoints";
    Duration interval = Duration::seconds(10);  ///< 0: only when needed and at the end
    std::int64_t retain = 3;
  } checkpoint;
  struct Restart {
    std::int64_t attempts = 10;
    Duration backoff = Duration::seconds(1);
    Duration max_backoff = Duration::seconds(60);
  } restart;
  std::optional<Duration> max_drift;  ///< between sources that meet; none: never
  Config settings;  ///< the top level as a config, for positions: settings.object("checkpoint").location("interval")
  std::vector<Component> connections, sources, steps, sinks;  ///< each in the order of the file

  /// A component by name among sources, steps and sinks; null if there is none.
  const Component* find(const std::string& name) const;
  const Component* find_connection(const std::string& name) const;
};

/// Reads the text of a pipeline file: parses, applies `overrides` (each `PATH=VALUE`), substitutes variables, types and
/// checks everything that does not need the components themselves. All problems go to `diagnostics`; nullopt if the file is
/// not even a mapping. The declarations of `catalogue` are referred to by the result.
std::optional<PipelineFile> read_pipeline(std::shared_ptr<const SourceText> source,
                                          const std::vector<std::string>& overrides, const Environment& environment,
                                          const Catalogue& catalogue, Diagnostics& diagnostics);

}  // namespace weir
