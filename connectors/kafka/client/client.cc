#include "connectors/kafka/client/client.h"

#include <spdlog/spdlog.h>

#include <cerrno>

#include "connectors/kafka/client/failure.h"

namespace weir {
namespace {

using ConfPtr = std::unique_ptr<rd_kafka_conf_t, DestroyHandle<rd_kafka_conf_destroy>>;

spdlog::level::level_enum level_of(int syslog_level) {
  return syslog_level <= 4 ? spdlog::level::warn : syslog_level <= 6 ? spdlog::level::info : spdlog::level::debug;
}

/// Lines about what weir does on purpose: properties of the other kind of client in `properties`, and what the embedded
/// broker is.
bool is_noise(std::string_view facility) { return facility == "CONFWARN" || facility == "MOCK" || facility == "AUTOCREATE"; }

}  // namespace

Client::Client(rd_kafka_type_t type, const Properties& properties, std::string label, std::shared_ptr<LogLimiter> limiter,
               ClientEvents events)
    : callbacks_(new Callbacks{std::move(label), std::move(events), std::move(limiter)}) {
  ConfPtr conf(rd_kafka_conf_new());
  char text[512];
  for (const auto& [name, value] : properties)
    if (rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), text, sizeof text) != RD_KAFKA_CONF_OK)
      throw Error(Blame::kUser,
                  fmt::format("{}: librdkafka does not take this value for the property '{}'", callbacks_->label, name));
  rd_kafka_conf_set_opaque(conf.get(), callbacks_.get());
  rd_kafka_conf_set_log_cb(conf.get(), on_log);
  rd_kafka_conf_set_error_cb(conf.get(), on_error);
  if (type == RD_KAFKA_PRODUCER && callbacks_->events.delivered)
    rd_kafka_conf_set_dr_msg_cb(conf.get(), [](rd_kafka_t*, const rd_kafka_message_t* message, void* callbacks) {
      static_cast<Callbacks*>(callbacks)->events.delivered(*message);
    });
  client_.reset(rd_kafka_new(type, conf.get(), text, sizeof text));
  const int error_number = errno;
  rd_kafka_conf_t* given = conf.release();  // the client owns it now
  if (!client_) could_not_make(std::move(callbacks_), given, error_number, text);
}

/// Where threads of the client did not come up in time, librdkafka gives up with those that did alive (EDEADLK): they go on
/// using the configuration and writing log lines, so both are left to them.
void Client::could_not_make(std::unique_ptr<Callbacks> callbacks, rd_kafka_conf_t* conf, int error_number, const char* why) {
  const std::string text = fmt::format("{}: librdkafka could not make a client: {}", callbacks->label, why);
  if (error_number == EDEADLK) {
    callbacks->given_up = true;
    (void)callbacks.release();
    throw Error(Blame::kEnvironment, text);
  }
  rd_kafka_conf_destroy(conf);
  if (rd_kafka_last_error() == RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE)
    throw Error(Blame::kEnvironment,
                text + "; raise the limit of processes (ulimit -u, TasksMax) or that of the container (pids.max)");
  throw Error(Blame::kUser, text);
}

void Client::on_log(const rd_kafka_t* client, int level, const char* facility, const char* text) {
  auto& self = *static_cast<Callbacks*>(rd_kafka_opaque(client));
  if (self.given_up) return;
  if (std::string_view(facility) == "FAIL") {
    std::lock_guard lock(self.failing);
    const std::string_view line(text),
        behind_thread = line.substr(line.starts_with("[thrd:") ? std::min(line.find("]: "), line.size() - 3) + 3 : 0);
    self.connection_failure = behind_thread;
  }
  const auto log_level = level_of(level);
  if (is_noise(facility) || !spdlog::should_log(log_level)) return;
  const LogLimiter::Answer answer = self.limiter->ask(self.label + ' ' + facility);
  if (!answer.write) return;
  const std::string more = answer.left_out ? fmt::format(" ({} more like it)", answer.left_out) : std::string();
  spdlog::log(log_level, "{}: librdkafka {}: {}{}", self.label, facility, text, more);
}

std::string Client::connection_failure(const rd_kafka_t* client) {
  auto& callbacks = *static_cast<Callbacks*>(rd_kafka_opaque(client));
  std::lock_guard lock(callbacks.failing);
  return callbacks.connection_failure;
}

void Client::on_error(rd_kafka_t*, int code, const char* reason, void* callbacks) {
  auto& self = *static_cast<Callbacks*>(callbacks);
  const auto error = static_cast<rd_kafka_resp_err_t>(code);
  if (self.events.error) self.events.error(error, reason ? reason : "");
  if (error == RD_KAFKA_RESP_ERR__TRANSPORT || error == RD_KAFKA_RESP_ERR__RESOLVE)
    return;  // on_log had the same text as FAIL
  if (const auto answer = self.limiter->ask(self.label + ' ' + rd_kafka_err2name(error)); answer.write)
    spdlog::warn("{}: {}: {}", self.label, rd_kafka_err2str(error), reason ? reason : "");
}

namespace {

bool is_unreachable(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__TIMED_OUT ||
         code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
}

/// `… SASL authentication error: …`, `… SASL PLAIN mechanism handshake failed: …`: nothing else tells a refused login from a
/// broker that is not there.
bool is_refused_login(std::string_view failure) { return failure.find("SASL") != std::string_view::npos; }

}  // namespace

Error contact_error(const rd_kafka_t* client, std::string_view what, rd_kafka_resp_err_t code) {
  const std::string why = is_unreachable(code) ? Client::connection_failure(client) : "";
  return kafka_error(what, is_refused_login(why) ? RD_KAFKA_RESP_ERR__AUTHENTICATION : code, why, protocol_advice(why));
}

void contact(const rd_kafka_t* client, std::string_view what, int limit_ms,
             const std::function<rd_kafka_resp_err_t(int ms)>& call) {
  constexpr int kOneCallMs = 3000;
  for (int left = limit_ms;; left -= kOneCallMs) {
    const rd_kafka_resp_err_t code = call(std::min(left, kOneCallMs));
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    const std::string why = Client::connection_failure(client);
    if (!is_unreachable(code) || left <= kOneCallMs || is_refused_login(why) || !protocol_advice(why).empty())
      throw contact_error(client, what, code);
  }
}

}  // namespace weir
