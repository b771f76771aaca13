#include "operators/aggregate_plan.h"
namespace weir {
std::unique_ptr<Operator> make_session_aggregate(std::shared_ptr<const AggregatePlan>) { return nullptr; }
std::unique_ptr<Operator> make_changelog_aggregate(std::shared_ptr<const AggregatePlan>) { return nullptr; }
}
