#include "connectors/kafka/client/failure.h"

#include <catch2/catch.hpp>

namespace weir {
namespace {

using Catch::Matchers::Contains;

std::string advice(std::string_view failure) {
  return kafka_error("in", RD_KAFKA_RESP_ERR__TRANSPORT, failure, protocol_advice(failure)).text();
}

TEST_CASE("a port that does not speak the connection's protocol is told apart from a broker that is not there") {
  for (const char* failure :
       {"ssl://h:9092/bootstrap: error:0A000126:SSL routines::unexpected eof while reading (after 3ms in state "
        "SSL_HANDSHAKE)",
        "ssl://h:9092/bootstrap: SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener? (after 3ms)",
        "ssl://h:9092/bootstrap: SSL handshake failed: error:1408F10B:SSL routines:ssl3_get_record:wrong version number: "
        "connecting to a PLAINTEXT broker listener?"})
    CHECK_THAT(advice(failure), Contains("the port seems not to speak TLS") && !Contains("is a broker running"));
  for (const char* failure :
       {"h:9093/bootstrap: Disconnected while requesting ApiVersion: might be caused by incorrect security.protocol "
        "configuration (connecting to a SSL listener?) or broker version is < 0.10",
        "h:9093/bootstrap: Receive failed: Invalid response size 352518912 (0..100000000): increase "
        "receive.message.max.bytes"})
    CHECK_THAT(advice(failure), Contains("the port seems to speak TLS only") && Contains("protocol: ssl"));
  CHECK_THAT(advice("ssl://h:9093/bootstrap: SSL handshake failed: error:0A000086:SSL routines::certificate verify failed"),
             Contains("certificate is not trusted"));
  CHECK_THAT(advice("h:9092/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused"),
             Contains("is a broker running"));
}

}  // namespace
}  // namespace weir
