#pragma once
#include <librdkafka/rdkafka.h>

#include <functional>
#include <string>

#include "runtime/base/error.h"
#include "runtime/base/time.h"

namespace weir {

/// No call about transactions blocks longer: what hangs after a broker restart recovers only with new producers.
inline constexpr int kTransactionCallMs = 15'000;

/// No single request of such a call waits longer for its answer. rd_kafka_send_offsets_to_transaction of librdkafka 2.0.2
/// looks at the time-out that it is given only between its two requests.
inline constexpr int kTransactionRequestMs = 7'000;

/// What a transactional producer knows when something about it failed.
struct TransactionState {
  std::string id;      ///< the transactional id
  Duration open{};     ///< since the broker learnt of the transaction; zero: it has not
  Duration timeout{};  ///< after which the broker aborts it
};

/// The error of a failed call or delivery. The broker's own time-out is told apart from another instance by the
/// transaction's age: it is kEnvironment with kTransactionTimeout, fenced by another is kFenced. `what` says what was tried.
Error transaction_error(const std::string& what, const TransactionState& state, rd_kafka_resp_err_t code,
                        std::string_view detail);

/// How a call to librdkafka's transaction API came out.
struct CallOutcome {
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::string text;
  bool may_pass = false;  ///< the same call may succeed later: there was no time left for it
};

/// Makes a call, with the milliseconds it may take, and again while it fails in a way that may pass and there is time (at
/// most kTransactionCallMs in all). What is left is an abortable or fatal error, or one whose time was over: in each case
/// only new producers help.
CallOutcome call_transaction(const std::function<rd_kafka_error_t*(int)>& call, int limit_ms = kTransactionCallMs);

}  // namespace weir
