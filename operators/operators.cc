#include "operators/operators.h"

namespace weir {

void add_operators(Components& components) {
  add_filter(components);
  add_select(components);
  add_union(components);
  add_route(components);
  add_rebalance(components);
  add_aggregate(components);
  add_dedup(components);
}

}  // namespace weir
