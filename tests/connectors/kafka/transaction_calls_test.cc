#include "connectors/kafka/exactly_once/transaction_calls.h"

#include <catch2/catch.hpp>

using namespace weir;
using Catch::Contains;

namespace {

const Duration kMinute = Duration::seconds(60);

Error error_after(Duration open, rd_kafka_resp_err_t code) {
  return transaction_error("committing", {"weir-job-a", open, kMinute}, code, "");
}

}  // namespace

TEST_CASE("a transaction that ended after its time-out was ended by the broker, a younger one by another instance") {
  for (const auto code :
       {RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_PRODUCER_FENCED, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH}) {
    CHECK(error_after(Duration::seconds(59), code).blame() == Blame::kFenced);
    const Error late = error_after(kMinute, code);
    CHECK(late.blame() == Blame::kEnvironment);
    CHECK(late.code() == ErrorCode::kTransactionTimeout);
    CHECK_THAT(late.text(), Contains("transaction_timeout") && Contains("1m"));
  }
  CHECK(error_after(Duration{}, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE).blame() == Blame::kEnvironment);
  CHECK(error_after(kMinute, RD_KAFKA_RESP_ERR__TIMED_OUT).code() == ErrorCode::kGeneral);
}

TEST_CASE("missing rights are the user's, and are named") {
  const Error id = error_after(Duration{}, RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
  CHECK(id.blame() == Blame::kUser);
  CHECK_THAT(id.text(), Contains("Write and Describe on transactional ids that begin with weir-job-"));
  const Error group = error_after(Duration{}, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED);
  CHECK(group.blame() == Blame::kUser);
  CHECK_THAT(group.text(), Contains("group weir-job"));
}

TEST_CASE("a call that fails is only made again when it says so") {
  int calls = 0;
  CHECK(call_transaction([&](int) -> rd_kafka_error_t* { return ++calls, nullptr; }).code == RD_KAFKA_RESP_ERR_NO_ERROR);
  const CallOutcome failed =
      call_transaction([&](int) { return ++calls, rd_kafka_error_new(RD_KAFKA_RESP_ERR__STATE, "no transaction"); });
  CHECK(failed.code == RD_KAFKA_RESP_ERR__STATE);
  CHECK(failed.text == "no transaction");
  CHECK(calls == 2);
}
