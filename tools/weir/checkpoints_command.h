#pragma once
#include <cstdio>
#include <string>

#include "runtime/base/time.h"

namespace weir {

/// The commands `weir checkpoints …`. They read only, need no job or broker, and may be used while the job runs. They return
/// the exit code and throw Error: kUser for what is no checkpoint, kRefused for what is torn.

/// `list DIR`: the checkpoints of a job's folder `<dir>/<name>`; as `json` one list of objects. 3 when one cannot be read;
/// the others are listed all the same.
int checkpoints_list(const std::string& dir, bool json, std::FILE* out, const Clock& clock = system_clock());

/// `show CHECKPOINT`: what its manifest says; as `json` one object.
int checkpoints_show(const std::string& checkpoint, bool json, std::FILE* out, const Clock& clock = system_clock());

/// `verify CHECKPOINT`: reads all files and compares them with the manifest.
int checkpoints_verify(const std::string& checkpoint, std::FILE* out);

}  // namespace weir
