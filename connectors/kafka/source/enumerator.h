#pragma once
#include <memory>
#include <string>
#include <vector>

#include "connectors/kafka/client/lookup.h"
#include "connectors/kafka/source/source_settings.h"
#include "runtime/api/source.h"

namespace weir {

/// Finds the partitions of a source's topics, and from where to where to read them. Every call makes a consumer of its own.
class KafkaEnumerator final : public SplitEnumerator {
 public:
  KafkaEnumerator(KafkaSourceSettingsPtr settings, const AttemptContext& attempt)
      : settings_(std::move(settings)), attempt_(attempt) {}

  std::vector<SplitState> restore(std::vector<SplitState> splits) override;
  std::vector<SplitState> discover(const std::vector<SplitState>& known) override;
  std::optional<std::int64_t> known_end(const SplitState& split) const override;
  Duration interval() const override { return settings_->bounded() ? Duration{} : settings_->discovery; }

 private:
  std::vector<TopicPartition> find_partitions(rd_kafka_t* client) const;
  Ranges ask_for_ranges(rd_kafka_t* client, const std::vector<TopicPartition>& partitions);
  void check_positions(std::vector<SplitState>& splits);
  void check_ends(std::vector<SplitState>& splits);
  void remove_ends(std::vector<SplitState>& splits) const;

  KafkaSourceSettingsPtr settings_;
  const AttemptContext& attempt_;
  bool first_ = true;                            ///< no split was ever known: `start` holds
  std::map<TopicPartition, std::int64_t> ends_;  ///< as the cluster told last
};

}  // namespace weir
