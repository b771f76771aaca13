#pragma once

namespace weir {

/// Makes the C library's allocator keep less: memory of large things (indexes, deltas) goes back to the system when it is
/// freed. Otherwise the process would hold much more than `memory`. Fewer arenas would hold less still, but cost a fifth of
/// the speed: threads of librdkafka and tasks would wait for one another. Call it before there are threads.
void settle_allocator();

}  // namespace weir
