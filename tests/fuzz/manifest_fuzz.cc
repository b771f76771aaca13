#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/checkpoint/checkpoint_name.h"
#include "runtime/checkpoint/manifest.h"

/// Any bytes are either refused as a manifest or come back as the same manifest.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  weir::parse_folder_name(text);
  for (const auto checksum : {weir::ManifestChecksum::kRequire, weir::ManifestChecksum::kIgnore}) {
    try {
      const weir::Manifest manifest = weir::parse_manifest(text, "manifest.json", checksum);
      if (weir::parse_manifest(weir::manifest_text(manifest), "again") != manifest) std::abort();
    } catch (const weir::Error& e) {
      if (e.blame() != weir::Blame::kRefused) std::abort();
    }
  }
  return 0;
}
