#include "connectors/kafka/client/connection.h"

#include <charconv>

#include "connectors/kafka/client/properties.h"

namespace weir {
namespace {

/// Keys of `security` that are handed on as they are.
constexpr std::pair<const char*, const char*> kSecurityProperties[] = {
    {"protocol", "security.protocol"},    {"user", "sasl.username"},
    {"password", "sasl.password"},        {"ca", "ssl.ca.location"},
    {"cert", "ssl.certificate.location"}, {"key", "ssl.key.location"},
    {"key_password", "ssl.key.password"}};

ConfigField security_field() {
  return field::object(
             "security",
             {field::enumeration("protocol", {"plaintext", "ssl", "sasl_plaintext", "sasl_ssl"})
                  .required()
                  .doc("How to talk to the brokers."),
              field::enumeration("mechanism", {"plain", "scram-sha-256", "scram-sha-512", "oauthbearer"})
                  .doc("How to log in, with a sasl protocol; oauthbearer is not supported yet."),
              field::text("user").doc("The user's name."),
              field::text("password").secret().doc("The user's password.").example("\"${file:/run/secrets/kafka}\""),
              field::text("ca").doc("A PEM file with the certificates of the authorities to trust; those of the system "
                                    "where it is not given."),
              field::text("cert").doc("A PEM file with the client's own certificate."),
              field::text("key").doc("A PEM file with the key of `cert`."),
              field::text("key_password").secret().doc("The password of the key file.")})
      .doc("Encryption and login.")
      .example("{ protocol: sasl_ssl, mechanism: scram-sha-512, user: app, password: \"${file:/run/secrets/kafka}\" }");
}

void read_security(const Config& security, Properties& out, Diagnostics& diagnostics) {
  for (const auto& [key, property] : kSecurityProperties)
    if (security.has(key)) out.emplace_back(property, security.text(key));
  if (security.has("mechanism") && security.text("mechanism") == "oauthbearer")
    return diagnostics.error(security.location("mechanism"), "mechanism oauthbearer is not supported yet",
                             "log in with scram-sha-512 or plain");
  const bool sasl = security.has("protocol") && security.text("protocol").starts_with("sasl");
  if (security.has("mechanism")) {
    std::string mechanism = security.text("mechanism");
    for (char& c : mechanism) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out.emplace_back("sasl.mechanisms", mechanism);
    if (!sasl)
      diagnostics.error(security.location("mechanism"), "mechanism needs a protocol with sasl", "write protocol: sasl_ssl");
  } else if (sasl) {
    diagnostics.error(security.location("protocol"), "a protocol with sasl needs a mechanism",
                      "write mechanism: scram-sha-512, or plain");
  }
  if (sasl && (!security.has("user") || !security.has("password")))
    diagnostics.error(security.location("protocol"), "a protocol with sasl needs user and password", "");
}

}  // namespace

std::optional<std::int64_t> KafkaConnection::producer_number(std::string_view property) const {
  std::optional<std::int64_t> found;
  for (const Properties* properties : {&common, &producer})
    for (const auto& [name, value] : *properties) {
      std::int64_t number = 0;
      if (name == property && std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc())
        found = number;
    }
  return found;
}

Declaration kafka_connection_declaration() {
  return {
      .kind = ComponentKind::kConnection,
      .name = "kafka",
      .summary = "A Kafka cluster.",
      .caveats = {"`brokers: embedded` keeps about 5 MB a partition in memory, is gone with the process, and refuses "
                  "exactly_once, `timestamp` "
                  "starts and restore."},
      .fields =
          {field::text("brokers")
               .required()
               .doc("Addresses to begin with, with commas between; or `embedded`: a broker for trying out, inside the "
                    "process.")
               .example("\"h1:9092,h2:9092\""),
           security_field(),
           field::duration("transaction_timeout")
               .at_least("1s")
               .at_most("24d")
               .doc("After so long without a commit the broker aborts what an exactly-once sink wrote: for so long readers "
                    "of its topics may be held up after a crash. Default: 60s or 10 times checkpoint.interval, whichever is "
                    "longer. Nothing is lost when it passes: the job goes back to its last checkpoint. Below 60s is warned "
                    "of: brokers that "
                    "restart meanwhile may lose the marks of the abort."),
           field::texts("producer").doc("librdkafka properties of the producers.").example("{ linger.ms: 20 }"),
           field::texts("properties")
               .doc("librdkafka properties of consumers and producers.")
               .example("{ client.rack: a }")},
      .examples = {"type: kafka\nbrokers: \"${KAFKA_BROKERS:-localhost:9092}\""}};
}

KafkaConnectionPtr read_kafka_connection(const Component& component, const PipelineFile& file, Diagnostics& diagnostics) {
  const Component* written = file.find_connection(component.connection);
  return written ? read_kafka_connection(*written, diagnostics) : nullptr;
}

KafkaConnectionPtr read_kafka_connection(const Component& written, Diagnostics& diagnostics) {
  if (!written.ok() || written.type != "kafka") return nullptr;  // reported by whoever read the file
  const Config& config = written.config;
  const std::size_t before = diagnostics.errors();
  auto connection = std::make_shared<KafkaConnection>();
  connection->name = written.name;
  connection->embedded = config.text("brokers") == "embedded";
  if (!connection->embedded) connection->brokers = config.text("brokers");
  if (config.text("brokers").empty()) diagnostics.error(config.location("brokers"), "brokers is empty", "write host:port");
  if (config.has("transaction_timeout")) connection->transaction_timeout = config.duration("transaction_timeout");
  if (config.has("security")) {
    if (connection->embedded)
      diagnostics.error(config.location("security"), "the embedded broker has no security", "leave it out");
    read_security(config.object("security"), connection->common, diagnostics);
  }
  read_properties(config, "properties", PropertyUse::kConsumerAndProducer, connection->common, diagnostics);
  read_properties(config, "producer", PropertyUse::kProducer, connection->producer, diagnostics);
  return diagnostics.errors() == before ? connection : nullptr;
}

}  // namespace weir
