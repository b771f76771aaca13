#include "runtime/expr/aggregate/function.h"

#include "runtime/base/error.h"
#include "runtime/data/key_codec.h"
#include "runtime/expr/aggregate/kinds.h"

namespace weir {

void AggregateFunction::retract(std::span<std::byte* const>, std::size_t, const Column*, std::int64_t) const {
  throw Error(Blame::kBug, "an aggregate that cannot take rows back was asked to");
}

const std::vector<std::string>& aggregate_names() {
  static const std::vector<std::string> names = {
      "any_value", "array_agg",  "avg",         "bool_and", "bool_or",    "count", "every",   "first",    "last",    "max",
      "min",       "stddev_pop", "stddev_samp", "stddev",   "string_agg", "sum",   "var_pop", "var_samp", "variance"};
  return names;
}

bool is_aggregate(std::string_view name) {
  const auto& names = aggregate_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

namespace {

/// For these a value that comes twice counts as one that comes once, with distinct or without.
bool repetition_is_nothing(const std::string& n) {
  return n == "min" || n == "max" || n == "first" || n == "last" || n == "any_value" || n == "bool_and" || n == "bool_or" ||
         n == "every";
}

bool collects(const std::string& n) { return n == "array_agg" || n == "string_agg"; }

AggregateFunctionPtr make_plain(const AggregateRequest& r) {
  const std::string& n = r.name;
  if (n == "count") return expr::make_count(r);
  if (n == "sum") return expr::make_sum(r);
  if (n == "avg") return expr::make_average(r);
  if (n == "min" || n == "max") return expr::make_extreme(r, n == "max");
  if (n == "first" || n == "any_value" || n == "last") return expr::make_by_arrival(r, n == "last");
  if (n == "bool_and" || n == "every" || n == "bool_or") return expr::make_boolean(r, n != "bool_or");
  if (collects(n)) return r.distinct ? expr::make_sorted_collection(r) : expr::make_collection(r);
  return expr::make_variance(r);
}

}  // namespace

AggregateFunctionPtr make_aggregate(const AggregateRequest& request, std::string& problem) {
  const std::string& n = request.name;
  AggregateRequest plain = request;
  plain.distinct = request.distinct && !repetition_is_nothing(n);
  if (plain.distinct && !is_key_type(request.argument->type)) {
    problem = fmt::format("values of type {} cannot be told apart by distinct", request.argument->type.name());
    return nullptr;
  }
  AggregateFunctionPtr function = make_plain(plain);
  if (!function) {
    problem = fmt::format("function {}({}) does not exist", n, request.argument ? request.argument->type.name() : "*");
    return nullptr;
  }
  return keeps_distinct_values(request) && !request.values_apart ? expr::make_distinct(request, std::move(function))
                                                                 : function;
}

bool keeps_distinct_values(const AggregateRequest& request) {
  return request.distinct && !repetition_is_nothing(request.name) && !collects(request.name);
}

}  // namespace weir
