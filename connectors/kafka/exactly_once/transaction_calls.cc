#include "connectors/kafka/exactly_once/transaction_calls.h"

#include <chrono>
#include <thread>

#include "connectors/kafka/client/failure.h"

namespace weir {
namespace {

/// True for what a producer meets whose transaction was ended by somebody else: the broker's clock or another instance.
bool was_ended(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR_PRODUCER_FENCED:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING:
    case RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID:
    case RD_KAFKA_RESP_ERR_INVALID_TXN_STATE: return true;
    default: return false;
  }
}

std::string rights_needed(const std::string& id, rd_kafka_resp_err_t code) {
  // weir-<job>-a: the group is weir-<job>.
  const std::string prefix = id.substr(0, id.size() - 1), group = id.substr(0, id.size() - 2);
  switch (code) {
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return fmt::format("; the principal needs Write and Describe on transactional ids that begin with {}", prefix);
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      return fmt::format("; the principal needs Read and Describe on the group {}", group);
    default: return {};
  }
}

}  // namespace

Error transaction_error(const std::string& what, const TransactionState& state, rd_kafka_resp_err_t code,
                        std::string_view detail) {
  if (was_ended(code) && state.open >= state.timeout && state.timeout.micros > 0)
    return Error(
        Blame::kEnvironment,
        fmt::format("{}: the broker aborted the transaction of {}, which was open for {} (transaction_timeout {}): {}", what,
                    state.id, format_duration(Duration::milliseconds(state.open.micros / 1000)),
                    format_duration(state.timeout), rd_kafka_err2str(code)),
        ErrorCode::kTransactionTimeout);
  const std::string rights = rights_needed(state.id, code);
  const Error error = kafka_error(fmt::format("{} ({})", what, state.id), code, detail);
  return rights.empty() ? error : Error(error.blame(), error.text() + rights);
}

CallOutcome call_transaction(const std::function<rd_kafka_error_t*(int)>& call, int limit_ms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(limit_ms);
  for (int left = limit_ms;;) {
    rd_kafka_error_t* error = call(left);
    if (!error) return {};
    const CallOutcome outcome{rd_kafka_error_code(error), rd_kafka_error_string(error),
                              rd_kafka_error_is_retriable(error) != 0};
    rd_kafka_error_destroy(error);
    left = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count());
    if (!outcome.may_pass || left <= 0) return outcome;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(20, left)));
  }
}

}  // namespace weir
