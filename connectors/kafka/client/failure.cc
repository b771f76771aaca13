#include "connectors/kafka/client/failure.h"

namespace weir {

bool concerns_record(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE: return true;
    default: return false;
  }
}

bool passes_soon(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__TRANSPORT: return true;  // an idle connection that the broker has closed
    default: return false;
  }
}

Blame blame_of(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
    case RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE:
    case RD_KAFKA_RESP_ERR_SECURITY_DISABLED:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
    case RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT:
    case RD_KAFKA_RESP_ERR__AUTHENTICATION: return Blame::kUser;
    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR_PRODUCER_FENCED:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH: return Blame::kFenced;
    default: return concerns_record(code) ? Blame::kData : Blame::kEnvironment;
  }
}

namespace {

std::string_view what_to_do(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return "; the principal needs Read and Describe on the topics it reads, Write and Describe on those it writes";
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED: return "; the principal needs Read and Describe on the group";
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED: return "; look at `security` of the connection";
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__TIMED_OUT: return "; is a broker running at the addresses in `brokers`?";
    default: return "";
  }
}

}  // namespace

std::string_view protocol_advice(std::string_view failure) {
  const auto has = [&](std::string_view text) { return failure.find(text) != std::string_view::npos; };
  if (has("certificate verify failed"))
    return "; the broker's certificate is not trusted: name its authority as ca in `security` of the connection";
  const bool in_handshake = has("SSL_HANDSHAKE") || has("SSL handshake");
  if (has("PLAINTEXT broker listener") || has("wrong version number") ||
      (in_handshake && (has("unexpected eof") || has("Disconnected") || has("Connection reset"))))
    return "; the port seems not to speak TLS: look at protocol in `security` of the connection, and at the port in "
           "`brokers`";
  // A TLS alert, taken for the size of an answer: 0x1503….
  if (has("SSL listener") || has("Invalid response size 3525"))
    return "; the port seems to speak TLS only: write security: { protocol: ssl } at the connection, or sasl_ssl, or look "
           "at "
           "the port in `brokers`";
  return {};
}

Error kafka_error(std::string_view what, rd_kafka_resp_err_t code, std::string_view detail, std::string_view advice) {
  const std::string_view text = rd_kafka_err2str(code);
  const std::string more = detail.empty() || detail == text ? std::string() : fmt::format(": {}", detail);
  return Error(blame_of(code), fmt::format("{}: {} ({}){}{}", what, text, rd_kafka_err2name(code), more,
                                           advice.empty() ? what_to_do(code) : advice));
}

void check_kafka(std::string_view what, rd_kafka_resp_err_t code) {
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) throw kafka_error(what, code);
}

std::string no_such_topic(std::string_view topic, std::string_view brokers) {
  return fmt::format(
      "there is no topic '{}' at {}; create it: tools/kafka topic create {} --brokers {} (or kafka-topics "
      "--bootstrap-server {} "
      "--create --topic {})",
      topic, brokers, topic, brokers, brokers, topic);
}

}  // namespace weir
