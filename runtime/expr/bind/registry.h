#pragma once
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/expr/program/kernel.h"

namespace weir::expr {

/// What a parameter takes: one kind of type, or anything.
struct Parameter {
  Parameter(TypeKind kind) : kind(kind) {}
  static Parameter anything() {
    Parameter p(TypeKind::kVarchar);
    p.any = true;
    return p;
  }
  TypeKind kind;
  bool any = false;
};

/// How decimal arguments are made to fit before a call.
enum class DecimalRule {
  kAsTheyAre,
  kSameScale,  ///< all decimal arguments get the largest scale among them
};

/// The type of a call's result, from those of its arguments.
using ResultType = Type (*)(std::span<const Type> arguments);

/// One form of a function or operator: what it takes, gives and does. Operators are functions named by their symbol.
struct Signature {
  std::string_view name;
  std::vector<Parameter> parameters;
  ResultType result;
  Kernel kernel;
  std::string_view doc;      ///< one line for the reference; empty: only used by the binder
  std::string_view example;  ///< an expression without columns, for the reference
  NullRule nulls = NullRule::kStrict;
  bool repeats_last = false;   ///< the last parameter may come any number of times more
  bool deterministic = true;   ///< the same arguments always give the same value
  bool may_give_null = false;  ///< also without a null argument
  DecimalRule decimals = DecimalRule::kAsTheyAre;
  std::string_view group = {};  ///< heading in the reference
};

/// All functions and operators there are. Immutable after the first use; any thread.
class Registry {
 public:
  static const Registry& all();

  std::span<const Signature* const> find(std::string_view name) const;
  const std::deque<Signature>& signatures() const { return signatures_; }
  /// Names of functions (not operators), for "did you mean".
  std::vector<std::string> function_names() const;

  void set_group(std::string_view group) { group_ = group; }
  void add(Signature signature);

 private:
  std::deque<Signature> signatures_;
  std::vector<std::pair<std::string_view, std::vector<const Signature*>>> by_name_;
  std::string_view group_;
};

/// Each adds the signatures of its source file.
void add_integer_functions(Registry&);
void add_double_functions(Registry&);
void add_decimal_functions(Registry&);
void add_text_functions(Registry&);
void add_text_search_functions(Registry&);
void add_bytes_functions(Registry&);
void add_time_functions(Registry&);
void add_time_parts_functions(Registry&);
void add_miscellaneous_functions(Registry&);

/// Result types that do not depend on the arguments.
template <Type (*make)()>
Type always(std::span<const Type>) {
  return make();
}
inline Type same_as_first(std::span<const Type> arguments) { return arguments[0]; }

/// The name of a parameter's type, as in messages: `decimal`, `varchar`, `any`.
std::string_view parameter_name(const Parameter& parameter);

/// The type of a parameter's arguments; for a decimal, some decimal.
Type type_of_parameter(const Parameter& parameter);

/// True for PostgreSQL's functions that are not built: they are refused with "not supported yet".
bool is_known_elsewhere(std::string_view name);
/// True for names of aggregate and window functions.
bool is_aggregate_name(std::string_view name);

}  // namespace weir::expr
