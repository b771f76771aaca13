#pragma once
#include "connectors/kafka/sink/producer.h"
#include "runtime/config/pipeline_file.h"

namespace weir {

/// What a Kafka sink of the file promises: what it says, else exactly once if another sink on its connection says so, else
/// at least once.
Guarantee guarantee_of(const Component& sink, const PipelineFile& file);

/// Reports what an exactly-once sink cannot go together with: a second such connection, `interval: 0`, an embedded broker,
/// properties that its transactions rely on; and warns of what weakens it: sinks beside it that promise less, and sources
/// that read what was not committed. What concerns the whole file is reported once, by its first exactly-once sink.
void check_exactly_once(const Component& sink, const PipelineFile& file, Diagnostics& diagnostics);

}  // namespace weir
