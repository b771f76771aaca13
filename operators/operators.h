#pragma once
#include "runtime/api/component.h"

namespace weir {

/// Adds all steps of this folder.
void add_operators(Components& components);

void add_filter(Components& components);
void add_select(Components& components);
void add_union(Components& components);
void add_route(Components& components);
void add_rebalance(Components& components);
void add_aggregate(Components& components);
void add_dedup(Components& components);

}  // namespace weir
