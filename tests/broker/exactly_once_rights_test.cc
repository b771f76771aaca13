#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/broker/exactly_once_job.h"
#include "tests/support/broker_control.h"

using namespace weir;
using Catch::Contains;

// A principal without one of the rights that exactly once needs: the error names it, and the job does not restart.

namespace {

/// A broker with an authorizer: everybody may do everything until somebody is given a right to it.
BrokerControl& strict_broker() {
  static BrokerControl broker({"authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                               "allow.everyone.if.no.acl.found=true"});
  return broker;
}

/// What the protocol calls the kinds of things that rights are given to, and the rights. (librdkafka 2.0.2 knows no rights
/// to transactional ids, so the request is written by hand.)
enum class Resource : std::int8_t { kTopic = 2, kGroup = 3, kTransactionalId = 5 };
enum class Right : std::int8_t { kRead = 3, kWrite = 4, kDelete = 6, kDescribe = 8 };

void append(std::string& bytes, std::int64_t number, int size) {
  while (size-- > 0) bytes += static_cast<char>(number >> (8 * size));
}
void append(std::string& bytes, std::string_view text) {
  append(bytes, static_cast<std::int64_t>(text.size()), 2);
  bytes += text;
}

/// Sends a request to the broker and returns the answer after its length.
std::string ask(const std::string& request) {
  const std::string& address = strict_broker().brokers();
  const int port = std::stoi(address.substr(address.rfind(':') + 1));
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{.sin_family = AF_INET,
                 .sin_port = htons(static_cast<std::uint16_t>(port)),
                 .sin_addr = {htonl(INADDR_LOOPBACK)},
                 .sin_zero = {}};
  REQUIRE(::connect(s, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  std::string bytes, answer;
  append(bytes, static_cast<std::int64_t>(request.size()), 4);
  bytes += request;
  REQUIRE(::send(s, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  char buffer[4096];
  while (answer.size() < 4 || answer.size() < 4 + static_cast<std::size_t>(static_cast<unsigned char>(answer[2]) << 8 |
                                                                           static_cast<unsigned char>(answer[3]))) {
    const ssize_t got = ::recv(s, buffer, sizeof buffer, 0);
    REQUIRE(got > 0);
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(s);
  return answer.substr(4);
}

/// Gives everybody a right to something; from then on nobody has a right to it that is not given.
void allow(Resource type, const std::string& name, Right right) {
  std::string request;
  append(request, 30, 2), append(request, 1, 2), append(request, 7, 4), append(request, "test");  // CreateAcls, version 1
  append(request, 1, 4);
  append(request, static_cast<std::int64_t>(type), 1), append(request, name), append(request, 3, 1);  // 3: a literal name
  append(request, "User:ANONYMOUS"), append(request, "*"), append(request, static_cast<std::int64_t>(right), 1);
  append(request, 3, 1);  // allow
  const std::string answer = ask(request);
  REQUIRE(answer.size() >= 14);
  REQUIRE(answer.substr(8, 6) == std::string("\0\0\0\1\0\0", 6));  // after id and throttling: one result, no error
  std::this_thread::sleep_for(std::chrono::milliseconds(500));     // until the broker knows it
}

}  // namespace

TEST_CASE("missing rights are named and are no reason to restart", "[broker][eos]") {
  ExactlyOnceJob job(strict_broker().brokers());
  job.feed(0, 10);
  std::string wanted;
  SECTION("Read on the topic of the marker") {
    allow(Resource::kTopic, job.out, Right::kWrite);
    allow(Resource::kTopic, job.out, Right::kDescribe);
    wanted = "Read on topic " + job.out;
  }
  SECTION("Write on the topic") {
    allow(Resource::kTopic, job.out, Right::kRead);
    wanted = "TOPIC_AUTHORIZATION_FAILED";
  }
  SECTION("Read on the group") {
    allow(Resource::kGroup, "weir-" + job.name, Right::kDescribe);
    wanted = "group weir-" + job.name;
  }
  SECTION("Describe on the group") {
    allow(Resource::kGroup, "weir-" + job.name, Right::kDelete);
    wanted = "group weir-" + job.name;
  }
  SECTION("Write on the transactional ids") {
    allow(Resource::kTransactionalId, "weir-" + job.name + "-b", Right::kDescribe);
    wanted = "Write and Describe on transactional ids that begin with weir-" + job.name + "-";
  }
  const ProcessResult end = job.run();
  INFO(end.errors);
  CHECK(end.exit_code == 3);
  CHECK_THAT(end.errors, Contains(wanted) && !Contains("restarting"));
}

TEST_CASE("a row that only the broker knows to be too large ends the job and is no reason to restart", "[broker][eos]") {
  ExactlyOnceJob job(strict_broker().brokers());
  job.out = job.client.new_topic("small", 1, {{"max.message.bytes", "2000"}});
  // Everything but DescribeConfigs, which would tell how large a row may be.
  for (const Right right : {Right::kRead, Right::kWrite, Right::kDescribe}) allow(Resource::kTopic, job.out, right);
  job.client.produce_values(job.in, {R"({"k":1,"n":1})"}, 0);
  job.steps = "steps:\n  long: { from: in, select: { k: k, n: n, long: \"repeat('x', 5000)\" } }\n";
  job.from = "long";
  job.write();
  const ProcessResult end = job.run();
  INFO(end.errors);
  CHECK(end.exit_code == 3);
  CHECK_THAT(end.errors, Contains("refuses a row") && Contains("DescribeConfigs") && !Contains("restarting"));
}
