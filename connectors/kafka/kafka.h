#pragma once

namespace weir {

class Components;

/// Adds the connection, the source and the sink `kafka`. Embedded brokers live as long as `components`.
void add_kafka(Components& components);

}  // namespace weir
