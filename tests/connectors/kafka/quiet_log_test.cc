#include <spdlog/spdlog.h>

namespace {

// Brokers are stopped and records refused on purpose here: warnings about it would only hide what failed. Made before any
// thread is there, as the program does.
const bool quiet = (spdlog::set_level(spdlog::level::err), true);

}  // namespace
