#pragma once

namespace weir {

/// Makes the C library's allocator keep less: memory of large things (indexes, deltas) goes back to the system when it is freed, and few
/// threads have arenas of their own. Otherwise the process would hold much more than `memory`. Call it before there are threads.
void settle_allocator();

}  // namespace weir
