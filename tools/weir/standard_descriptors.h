#pragma once

namespace weir {

/// Opens those of standard input, output and error that are closed, before anything else gets their numbers: what is written
/// to them would go into the job's own files. Reading and writing the first two still fails, as it did; what goes to
/// standard error is lost.
void open_standard_descriptors();

}  // namespace weir
