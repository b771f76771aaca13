#pragma once
#include <memory>
#include <string>

#include "connectors/kafka/exactly_once/lanes.h"
#include "connectors/kafka/exactly_once/marker_group.h"
#include "connectors/kafka/source/standing_offsets.h"
#include "runtime/api/commit_authority.h"

namespace weir {

/// The commit authority of a job with exactly-once Kafka sinks: a checkpoint counts when the transaction that holds its
/// epoch's rows was committed, because the checkpoint's number and run (the marker) are written inside that transaction, as
/// a committed offset of group `weir-<job>` on partition 0 of the first of the sinks' topics by name.
///
/// Making it contacts nothing; inspect touches nothing. Lanes that no sink joined serve to leave an authority.
class KafkaAuthority final : public CommitAuthority {
 public:
  explicit KafkaAuthority(std::shared_ptr<Lanes> lanes);

  std::string name() override;
  AuthorityAnswer inspect() override;
  AuthorityAnswer open() override;
  void take_over(const std::string& old_job, const Marker& expected) override;
  void begin(Epoch epoch) override;
  void commit(Epoch epoch, const RunId& run) override;
  void close() override;
  bool epoch_has_output(Epoch epoch) const override;
  bool commit_is_due() const override;
  Duration heartbeat() const override;
  std::string lane(Epoch epoch) const override { return lanes_->lane_id(epoch); }
  std::optional<CommitFigures> figures() const override;

 private:
  void look_up();
  void watch_offsets();
  std::optional<MarkerEntry> check_old_marker(const std::string& old_job, const Marker& expected,
                                              const MarkerReading& reading) const;
  /// Of the transaction that the broker has known of for longest; zero: there is none.
  Duration open_for() const;
  /// The first of the sinks' topics; without any (nothing of the file writes there now) that of the marker found. Empty:
  /// there is none.
  std::string marker_topic() const { return lanes_->facts().empty() ? found_topic_ : lanes_->facts().begin()->first; }
  /// The partition's end, for people who look at the group.
  std::int64_t marker_offset();

  const std::shared_ptr<Lanes> lanes_;
  std::string name_;
  bool looked_up_ = false;
  std::unique_ptr<MarkerGroup> group_;
  std::string found_topic_;
  std::int64_t marker_offset_ = 0;
  std::unique_ptr<StandingOffsets> standing_;  ///< since open()
};

}  // namespace weir
