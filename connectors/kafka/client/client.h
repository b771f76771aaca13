#pragma once
#include <librdkafka/rdkafka.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "connectors/kafka/client/connection.h"
#include "connectors/kafka/client/handles.h"
#include "connectors/kafka/client/log_limiter.h"
#include "runtime/base/error.h"

namespace weir {

/// What a client calls back. Both may be null.
struct ClientEvents {
  /// Errors that concern the client as a whole (no broker answers, login refused, fenced). From whoever polls the client.
  std::function<void(rd_kafka_resp_err_t code, const std::string& text)> error;
  /// A record was delivered or given up. From whoever polls the client. `_private` of the message is what the sender put
  /// there.
  void (*delivered)(const rd_kafka_message_t& message) = nullptr;
};

/// A librdkafka client with what its callbacks need. Its log goes to the program's log, a kind of line at most every ten
/// seconds for all clients of its label. Destroying it waits for librdkafka's threads.
class Client {
 public:
  /// `label` names it in the log: `bids`, `out`. Throws weir::Error: kUser when librdkafka refuses the properties,
  /// kEnvironment when it cannot start its threads. `limiter` is shared by those whose lines repeat one another: the clients
  /// of a cluster.
  Client(rd_kafka_type_t type, const Properties& properties, std::string label, std::shared_ptr<LogLimiter> limiter,
         ClientEvents events = {});
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  rd_kafka_t* get() const { return client_.get(); }
  const std::string& label() const { return callbacks_->label; }
  /// What went wrong with a connection to a broker last, in librdkafka's words; empty: nothing. `client` is one that Client
  /// made. Thread-safe.
  static std::string connection_failure(const rd_kafka_t* client);

 private:
  /// What librdkafka's threads use. It outlives them: where they cannot be ended, it is never freed.
  struct Callbacks {
    std::string label;
    ClientEvents events;
    std::shared_ptr<LogLimiter> limiter;
    std::atomic<bool> given_up{false};
    std::mutex failing{};
    std::string connection_failure{};
  };
  static void on_log(const rd_kafka_t* client, int level, const char* facility, const char* text);
  static void on_error(rd_kafka_t* client, int code, const char* reason, void* callbacks);
  [[noreturn]] static void could_not_make(std::unique_ptr<Callbacks> callbacks, rd_kafka_conf_t* conf, int error_number,
                                          const char* why);

  std::unique_ptr<Callbacks> callbacks_;
  ClientPtr client_;  // last: its threads use what is above
};

/// The error of a call that found no broker: why, where the client knows. A refused login is the user's, and no reason to
/// try again. `client` is one that Client made.
Error contact_error(const rd_kafka_t* client, std::string_view what, rd_kafka_resp_err_t code);
/// Makes a call that finds a broker first, which may take as long as it is told; again and again until `limit_ms` is over,
/// the login was refused, or the protocol is the wrong one. Throws contact_error.
void contact(const rd_kafka_t* client, std::string_view what, int limit_ms,
             const std::function<rd_kafka_resp_err_t(int ms)>& call);

}  // namespace weir
