#pragma once
#include <string_view>

namespace weir {

/// How manifest.json is laid out. The end of the text is the same in all format versions: the JSON object of the manifest
/// without its closing "\n}", then kChecksumBegin, the checksum of everything before as FileChecksum writes it,
/// kChecksumEnd.
inline constexpr int kManifestFormat = 1;
inline constexpr std::string_view kManifestEnd = "\n}";
inline constexpr std::string_view kChecksumBegin = ",\n \"checksum\": \"";
inline constexpr std::string_view kChecksumEnd = "\"\n}\n";
inline constexpr std::size_t kChecksumSize = 32;

}  // namespace weir
