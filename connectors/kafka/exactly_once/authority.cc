#include "connectors/kafka/exactly_once/authority.h"

#include <spdlog/spdlog.h>

#include "connectors/kafka/client/failure.h"
#include "connectors/kafka/kafka.h"
#include "runtime/base/crash_point.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

// A commit under way takes some 20 ms; what was left open by a crash stays until open() ends it.
constexpr Duration kLookLimit = Duration::milliseconds(1000);
constexpr Duration kReadLimit = Duration::seconds(15);
constexpr Duration kStandingFor = Duration::seconds(30);

AuthorityAnswer answer_of(const MarkerReading& reading) { return reading.entry ? reading.entry->answer : AuthorityAnswer{}; }

/// Reads the marker of a group whose lanes are fenced, so that nothing keeps it from being stable for long.
MarkerReading read_for_good(MarkerGroup& group) {
  MarkerReading reading = group.read(kReadLimit);
  if (!reading.stable)
    throw Error(Blame::kEnvironment, fmt::format("the marker of group {} did not become stable within {}", group.name(),
                                                 format_duration(kReadLimit)));
  return reading;
}

std::string describe(const std::optional<Marker>& m) {
  return m ? fmt::format("checkpoint {} of run {}", m->epoch.value, m->run.value) : "none";
}

}  // namespace

KafkaAuthority::KafkaAuthority(std::shared_ptr<Lanes> lanes) : lanes_(std::move(lanes)) {}

std::string KafkaAuthority::name() {
  if (!name_.empty()) return name_;
  const auto client = lanes_->cluster().new_consumer("connection " + lanes_->cluster().connection().name, {}, {});
  char* id = nullptr;
  contact(client->get(), "asking for the id of the cluster at " + lanes_->cluster().brokers(), kLookupTimeoutMs,
          [&](int ms) {
            return (id = rd_kafka_clusterid(client->get(), ms)) ? RD_KAFKA_RESP_ERR_NO_ERROR : RD_KAFKA_RESP_ERR__TRANSPORT;
          });
  name_ = fmt::format("kafka {} weir-{}", id, lanes_->job());
  rd_kafka_mem_free(client->get(), id);
  return name_;
}

void KafkaAuthority::look_up() {
  if (std::exchange(looked_up_, true)) return;
  lanes_->look_up();
  group_ = std::make_unique<MarkerGroup>(lanes_->cluster(), lanes_->job(), lanes_->topics());
}

AuthorityAnswer KafkaAuthority::inspect() {
  look_up();
  const MarkerReading reading = group_->read(kLookLimit);
  if (!reading.stable) spdlog::debug("group {}: a commit is under way", group_->name());
  return answer_of(reading);
}

AuthorityAnswer KafkaAuthority::open() {
  look_up();
  lanes_->start();
  const MarkerReading reading = read_for_good(*group_);
  if (reading.entry) found_topic_ = reading.entry->topic;
  marker_offset_ = marker_offset();
  watch_offsets();
  return answer_of(reading);
}

void KafkaAuthority::watch_offsets() {
  if (lanes_->facts().empty()) return;
  std::vector<TopicPartition> partitions;
  for (const auto& [topic, facts] : lanes_->facts())
    for (int p = 0; p < facts.partitions; ++p) partitions.push_back({topic, p});
  standing_ = std::make_unique<StandingOffsets>(lanes_->shared_cluster(), std::move(partitions), kStandingFor,
                                                [](const std::string& warning) { spdlog::warn("{}", warning); });
}

std::int64_t KafkaAuthority::marker_offset() {
  if (marker_topic().empty()) return 0;
  const auto client = lanes_->cluster().new_consumer("connection " + lanes_->cluster().connection().name, {}, {});
  return query_ranges(client->get(), {{marker_topic(), 0}}).begin()->second.high;
}

void KafkaAuthority::begin(Epoch epoch) {
  if (standing_) standing_->writes();
  lanes_->lane(epoch).begin();
}

void KafkaAuthority::commit(Epoch epoch, const RunId& run) {
  Lane& lane = lanes_->lane(epoch);
  // Where a marker expired and no sink writes there now, fencing is all that can be done.
  if (!marker_topic().empty()) lane.add_offset(group_->name(), marker_topic(), marker_offset_, marker_text({epoch, run}));
  crash_point("after-send-offsets");
  lane.commit();
  if (standing_) standing_->committed();
}

/// The old job's marker as it was read; throws where it forbids that this job goes on from `expected`.
std::optional<MarkerEntry> KafkaAuthority::check_old_marker(const std::string& old_job, const Marker& expected,
                                                            const MarkerReading& reading) const {
  const AuthorityAnswer answer = answer_of(reading);
  if (!answer.moved_to.empty() && answer.moved_to != lanes_->job())
    throw Error(Blame::kRefused, fmt::format("the job {} moved to {} already", old_job, answer.moved_to));
  if (answer.marker && *answer.marker != expected)
    throw Error(
        Blame::kRefused,
        fmt::format("the job {} has committed another checkpoint than the one to go on from, so rows would be written "
                    "twice; give --from its newest; committed: {}, given: {}",
                    old_job, describe(answer.marker), describe(expected)));
  return reading.entry;
}

/// Ends another job: fences it, and says at its marker that it goes on under this job's name. What a crash left open there
/// keeps the marker from being stable until the fences end it: so a look that is not stable refuses nothing.
void KafkaAuthority::take_over(const std::string& old_job, const Marker& expected) {
  look_up();
  MarkerGroup old(lanes_->cluster(), old_job, {});
  if (const MarkerReading looked = old.read(kLookLimit); looked.stable) {
    const auto entry = check_old_marker(old_job, expected, looked);
    if (entry && entry->answer.moved_to == lanes_->job()) return;
  }
  // Producers of the old job's names fence those that may still run.
  ProducerOptions options{.guarantee = Guarantee::kExactlyOnce, .transaction_timeout = lanes_->timeout()};
  const auto lane_of = [&](char letter) {
    options.transactional_id = fmt::format("{}-{}", old.name(), letter);
    return std::make_unique<Lane>(lanes_->cluster(), options, lanes_->clock(), nullptr);
  };
  const auto a = lane_of('a'), b = lane_of('b');
  fence_both(*a, *b);
  const auto entry = check_old_marker(old_job, expected, read_for_good(old));
  if (entry && entry->answer.moved_to == lanes_->job()) return;
  if (!entry && marker_topic().empty()) return;
  a->begin();
  a->add_offset(old.name(), entry ? entry->topic : marker_topic(), marker_offset_, marker_text(expected, lanes_->job()));
  a->commit();
}

std::unique_ptr<CommitAuthority> kafka_authority_at(const PipelineFile& file, AttemptContext& attempt,
                                                    const std::string& name) {
  const auto cluster_in = [](const std::string& authority) { return authority.substr(0, authority.rfind(' ')); };
  std::optional<Error> silent;
  for (const Component& written : file.connections) {
    Diagnostics reported;  // when the file was read
    const KafkaConnectionPtr connection = read_kafka_connection(written, reported);
    if (!connection || connection->embedded) continue;
    auto authority =
        std::make_unique<KafkaAuthority>(std::make_shared<Lanes>(std::make_shared<Cluster>(connection, nullptr), attempt));
    try {
      if (cluster_in(authority->name()) == cluster_in(name)) return authority;
    } catch (const Error& e) {
      silent = e;
    }
  }
  if (silent) throw *silent;  // it may be that one
  return nullptr;
}

void KafkaAuthority::close() {
  if (lanes_->started()) lanes_->abort(kTransactionCallMs);
}

bool KafkaAuthority::epoch_has_output(Epoch epoch) const { return lanes_->lane(epoch).has_output(); }

Duration KafkaAuthority::open_for() const {
  return std::max(lanes_->lane(Epoch{0}).open_for(), lanes_->lane(Epoch{1}).open_for());
}

bool KafkaAuthority::commit_is_due() const { return open_for().micros * 2 >= lanes_->timeout().micros; }

std::optional<CommitFigures> KafkaAuthority::figures() const {
  CommitFigures figures{.uncommitted = lanes_->started() ? open_for() : Duration{}, .timeout = lanes_->timeout()};
  if (const CommitCounters* counted = lanes_->counters()) {
    figures.committed = counted->committed.get();
    figures.aborted = counted->aborted.get();
    figures.last_commit = Duration{static_cast<std::int64_t>(counted->last_micros.get())};
  }
  return figures;
}

Duration KafkaAuthority::heartbeat() const {
  const Duration hour = Duration::seconds(3600);
  const auto& retention = lanes_->limits().offsets_retention;
  return retention ? std::min(hour, Duration{retention->micros / 10}) : hour;
}

}  // namespace weir
