#include <cstdint>
#include <string>

#include "tests/runtime/config/sample_catalogue.h"

/// Any bytes as a pipeline file, and the part after the last NUL as an override.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> overrides;
  if (const std::size_t nul = text.rfind('\0'); nul != std::string::npos) {
    overrides.push_back(text.substr(nul + 1));
    text.resize(nul);
  }
  weir::ReadPipeline pipeline;
  pipeline.environment.variables["A"] = "x";
  pipeline.environment.files["b"] = "y";
  pipeline.read(text, overrides);
  (void)pipeline.messages();
  return 0;
}
