#include "tests/support/broker_control.h"

#include <csignal>
#include <stdexcept>

#include "tests/support/process.h"
#include "tests/support/source_tree.h"

namespace weir {

BrokerControl::BrokerControl(const std::vector<std::string>& properties) : name_(unique_name("test")) {
  std::vector<std::string> arguments{"start"};
  for (const std::string& property : properties) arguments.insert(arguments.end(), {"--set", property});
  const std::string printed = run(arguments);
  const std::string before = "KAFKA_BROKERS=";
  const size_t at = printed.find(before);
  if (at == printed.npos) throw std::runtime_error("tools/kafka start printed no address: " + printed);
  brokers_ = printed.substr(at + before.size(), printed.find('\n', at) - at - before.size());
}

BrokerControl::~BrokerControl() {
  try {
    run({"stop", "--kill", "--delete"});
  } catch (const std::exception&) {
    // A test that fails must fail for its own reason; tools/check stops what is left over.
  }
}

void BrokerControl::stop() { run({"stop"}); }
void BrokerControl::kill() { run({"stop", "--kill"}); }
void BrokerControl::start() { run({"start"}); }
void BrokerControl::freeze() { ::kill(pid(), SIGSTOP); }
void BrokerControl::thaw() { ::kill(pid(), SIGCONT); }

int BrokerControl::pid() {
  const std::string printed = run({"pid"});
  return std::stoi(printed);
}

std::string BrokerControl::run(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--name", name_});
  const ProcessResult result = run_process(source_tree() / "tools/kafka", arguments, {}, std::chrono::seconds(120));
  if (result.exit_code != 0) throw std::runtime_error("tools/kafka " + arguments[0] + " failed: " + result.errors);
  return result.output;
}

}  // namespace weir
