#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/base/system_failure.h"

namespace weir {

/// Files that must be there after the power failed. All calls block; failures throw Error (blame_of_system_error) with what
/// was tried, the path and the system's reason.

/// Makes or replaces a file with these bytes and waits until they are on the disk (fsync).
void write_file_durably(const std::filesystem::path& file, std::string_view bytes);
/// Waits until what was written to a file, or the names in a folder, are on the disk.
void sync_file(const std::filesystem::path& file);
void sync_folder(const std::filesystem::path& folder);
/// Copies a file durably; `to` must not exist.
void copy_file_durably(const std::filesystem::path& from, const std::filesystem::path& to);
/// Gives a file a second name; where that is impossible (another file system, too many links) copies it durably.
void link_or_copy_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// Renames a file or folder and makes the new name durable.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);
/// Deletes a file or a folder with everything in it; nothing happens when there is none.
void remove_all_of(const std::filesystem::path& path);
/// Makes a folder and those above it. ENOENT is the user's here: nothing can be made there (in /proc, behind a broken link).
void make_folders(const std::filesystem::path& folder);
/// What the file system answers: whether something is there under that name (behind a symbolic link), and whether it is a
/// folder or a file. That it is not there is an answer; that it cannot be asked (rights, a mount that is gone) an Error.
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);
/// The bytes of a file. A file of more than `limit` bytes is an error too.
std::string read_whole_file(const std::filesystem::path& file, std::uint64_t limit);

}  // namespace weir
