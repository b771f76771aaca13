#pragma once
#include <string>
#include <vector>

namespace weir {

/// A Kafka broker of the test's own, which it may stop, kill and start again on the same data and port; tools/kafka runs it.
/// Deleted at the end of its life. Failures throw std::runtime_error with what tools/kafka printed. Not thread-safe.
class BrokerControl {
 public:
  /// Starts it (2 to 4 s). `properties`: broker properties, each "key=value".
  explicit BrokerControl(const std::vector<std::string>& properties = {});
  ~BrokerControl();
  BrokerControl(const BrokerControl&) = delete;
  BrokerControl& operator=(const BrokerControl&) = delete;

  /// host:port, the same over its whole life.
  const std::string& brokers() const { return brokers_; }
  /// SIGTERM, and waits until the broker is gone.
  void stop();
  /// SIGKILL.
  void kill();
  /// Starts it again and waits until it answers (2 to 4 s, after kill() a few more).
  void start();
  /// SIGSTOP and SIGCONT: connections stay, nothing is answered.
  void freeze();
  void thaw();

 private:
  std::string run(std::vector<std::string> arguments);
  int pid();

  std::string name_, brokers_;
};

}  // namespace weir
