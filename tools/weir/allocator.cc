#include "tools/weir/allocator.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace weir {

void settle_allocator() {
#ifdef __GLIBC__
  // Setting it also stops it from growing. Columns of batches are smaller, and stay cheap.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);  // it would stay at 128 KiB: memory of batches would go back and come again
#endif
}

}  // namespace weir
