#include "runtime/state/file_checksum.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "runtime/base/error.h"

namespace weir {
namespace {

std::string hex(XXH128_hash_t hash) { return fmt::format("{:016x}{:016x}", hash.high64, hash.low64); }

[[noreturn]] void cannot_read(const std::filesystem::path& file) {
  throw Error(Blame::kEnvironment, fmt::format("cannot read {}: {}", file.string(), std::generic_category().message(errno)));
}

}  // namespace

void FileChecksum::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

FileChecksum::FileChecksum() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}
FileChecksum::~FileChecksum() = default;
FileChecksum::FileChecksum(FileChecksum&&) noexcept = default;

void FileChecksum::add(std::string_view bytes) { XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()); }

std::string FileChecksum::text() const { return hex(XXH3_128bits_digest(state_.get())); }

std::string FileChecksum::of(std::string_view bytes) { return hex(XXH3_128bits(bytes.data(), bytes.size())); }

std::string FileChecksum::of_file(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) cannot_read(file);
  struct Close {
    int fd;
    ~Close() { ::close(fd); }
  } close{fd};
  FileChecksum sum;
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(file);
    if (got == 0) return sum.text();
    sum.add({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace weir
