#include "runtime/job/failure.h"

#include <boost/system/system_error.hpp>
#include <cerrno>
#include <new>
#include <system_error>

#include "runtime/base/system_failure.h"

namespace weir {

std::optional<Error> failure_of(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const Error& e) {
    return e;
  } catch (const std::system_error& e) {
    if (e.code().category() == std::generic_category() || e.code().category() == std::system_category())
      return system_failure(e.code().value(), e.what());
  } catch (const boost::system::system_error& e) {
    if (e.code().category() == boost::system::system_category()) return system_failure(e.code().value(), e.what());
  } catch (const std::bad_alloc&) {
    return Error(Blame::kEnvironment, "the system gives no more: " + system_reason(ENOMEM));
  } catch (...) {
  }
  return std::nullopt;
}

}  // namespace weir
