#include "runtime/expr/aggregate/function.h"

namespace weir {

namespace {

constexpr const char* kGroup = "Aggregates (in an aggregate step)";

// What a row that is taken back costs; forward only where the input is a changelog.
constexpr const char* kSubtracts = "A row of a changelog that is taken back is subtracted.";
constexpr const char* kRounds =
    "A row of a changelog that is taken back is subtracted: digits that were lost to a far greater value stay lost when it "
    "goes.";
constexpr const char* kCounts = "Over a changelog every different value of a group is kept, with how often it was seen.";
constexpr const char* kDistinct =
    "Every different value of a group is kept, over a changelog with how often it was seen; so for every function with "
    "distinct.";
constexpr const char* kKeepsAll =
    "Keeps all values of a group; taking one back looks for it. Of equal ones the last to arrive goes: a changelog does not "
    "say which row it was.";
constexpr const char* kArrivals =
    "Over a changelog all values of a group are kept, in the order of their arrival; of equal ones the last is taken back, "
    "for which row it was is not told.";

FunctionDoc doc(const char* name, const char* form, const char* meaning, const char* cost, const char* example) {
  return {name, form, meaning, example, kGroup, cost};
}

}  // namespace

const std::vector<FunctionDoc>& aggregate_docs() {
  static const std::vector<FunctionDoc> docs = {
      doc("count", "count(*) → bigint", "The number of rows.", kSubtracts, "count(*) filter (where paid)"),
      doc("count", "count(any) → bigint", "The number of values that are not null.", kSubtracts, "count(customer)"),
      doc("count", "count(distinct any) → bigint", "The number of different values.", kDistinct, "count(distinct customer)"),
      doc("sum", "sum([distinct] int) → bigint", "The sum; null where there is no value.", kSubtracts, "sum(quantity)"),
      doc("sum", "sum([distinct] bigint) → decimal(38,0)", "The sum; null where there is no value.", kSubtracts,
          "sum(bytes)"),
      doc("sum", "sum([distinct] decimal(p,s)) → decimal(38,s)", "The sum; null where there is no value.", kSubtracts,
          "sum(price * quantity)"),
      doc("sum", "sum([distinct] double or interval) → the same",
          "The sum; null where there is no value. One that is too large is an error.", kRounds, "sum(weight)"),
      doc("avg", "avg([distinct] int, bigint or double) → double",
          "The mean; null where there is no value. PostgreSQL gives numeric for whole numbers.", kSubtracts,
          "avg(quantity)"),
      doc("avg", "avg([distinct] decimal(p,s)) → decimal(38,max(s,6))",
          "The mean, rounded to six decimals or those of the argument, as in Flink; PostgreSQL gives at least 16.",
          kSubtracts, "avg(price)"),
      doc("min", "min(any) → any", "The least value.", kCounts, "min(price)"),
      doc("max", "max(any) → any", "The greatest value.", kCounts, "max(at)"),
      doc("first", "first(any) → any", "The value of the row that arrived first, nulls left out.", kArrivals,
          "first(status)"),
      doc("last", "last(any) → any", "The value of the row that arrived last, nulls left out.", kArrivals, "last(status)"),
      doc("any_value", "any_value(any) → any", "One of the values: the one that arrived first.", kArrivals,
          "any_value(name)"),
      doc("bool_and", "bool_and(boolean) → boolean", "True if all values are.", kSubtracts, "bool_and(paid)"),
      doc("every", "every(boolean) → boolean", "True if all values are; another name of bool_and.", kSubtracts,
          "every(paid)"),
      doc("bool_or", "bool_or(boolean) → boolean", "True if one of the values is.", kSubtracts, "bool_or(paid)"),
      doc("array_agg", "array_agg([distinct] any) → array(any)",
          "All values, nulls too, in the order of their arrival; distinct: different ones, sorted.", kKeepsAll,
          "array_agg(item)"),
      doc("string_agg", "string_agg([distinct] varchar, 'delimiter') → varchar",
          "All values that are not null with the delimiter between them, in the order of their arrival; distinct: different "
          "ones, sorted.",
          kKeepsAll, "string_agg(item, ', ')"),
      doc("var_samp", "var_samp([distinct] number) → double", "The variance of a sample (n - 1); null of a single value.",
          kRounds, "var_samp(price)"),
      doc("variance", "variance([distinct] number) → double", "Another name of var_samp.", kRounds, "variance(price)"),
      doc("var_pop", "var_pop([distinct] number) → double", "The variance of all there is (n).", kRounds, "var_pop(price)"),
      doc("stddev_samp", "stddev_samp([distinct] number) → double",
          "The standard deviation of a sample (n - 1); null of a single value.", kRounds, "stddev_samp(price)"),
      doc("stddev", "stddev([distinct] number) → double", "Another name of stddev_samp.", kRounds, "stddev(price)"),
      doc("stddev_pop", "stddev_pop([distinct] number) → double", "The standard deviation of all there is (n).", kRounds,
          "stddev_pop(price)")};
  return docs;
}

}  // namespace weir
