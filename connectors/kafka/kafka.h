#pragma once
#include <memory>
#include <string>

namespace weir {

class CommitAuthority;
class Components;
struct AttemptContext;
struct PipelineFile;

/// Adds the connection, the source and the sink `kafka`. Embedded brokers live as long as `components`.
void add_kafka(Components& components);

/// An authority of the attempt's job at the cluster that the authority `name` commits to, through the first connection of
/// the file that reaches it; null where none does. Asks each for its cluster, which may block; throws weir::Error where one
/// that may be it does not answer.
std::unique_ptr<CommitAuthority> kafka_authority_at(const PipelineFile& file, AttemptContext& attempt,
                                                    const std::string& name);

}  // namespace weir
