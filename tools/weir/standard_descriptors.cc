#include "tools/weir/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace weir {

void open_standard_descriptors() {
  const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};  // the first two not for what they are used for
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      (void)::open("/dev/null", modes[descriptor]);  // gets the lowest that is free
}

}  // namespace weir
