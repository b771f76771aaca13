#include "runtime/api/component.h"

#include "runtime/base/nearest.h"
#include "runtime/expr/bind/cast.h"

namespace weir {

void Components::add_source(Declaration declaration, BindSource bind) {
  sources_.emplace(declaration.name, std::move(bind));
  catalogue_.add(std::move(declaration));
}

void Components::add_step(Declaration declaration, BindStep bind) {
  steps_.emplace(declaration.name, std::move(bind));
  catalogue_.add(std::move(declaration));
}

void Components::add_sink(Declaration declaration, BindSink bind) {
  sinks_.emplace(declaration.name, std::move(bind));
  catalogue_.add(std::move(declaration));
}

namespace {

ExpressionPtr bind_as(const Text& text, const Schema& input, const Type& literal, Diagnostics& diagnostics) {
  if (text.text.empty()) return nullptr;  // it did not read, which was reported
  std::vector<ExpressionError> errors;
  ExpressionPtr expression = Expression::compile(text.text, input, errors, literal);
  for (const ExpressionError& e : errors) {
    const bool may_be_text = e.text.starts_with("unknown column") && e.hint.starts_with("columns are");
    const std::string quoting = may_be_text ? quoting_hint(text) : std::string();
    diagnostics.error(text.location.at(e.offset), e.text, quoting.empty() ? e.hint : quoting);
  }
  return errors.empty() ? expression : nullptr;
}

/// What stands for a value of the type `wanted` where the expression is of another; only casts that there are.
std::string conversion_hint(const std::string& text, const Type& type, const Type& wanted) {
  const bool has_cast = expr::find_cast(type.kind(), wanted.kind()) != nullptr;
  const std::string cast = fmt::format("({})::{}", text, wanted.name());
  if (wanted.kind() != TypeKind::kBoolean) return has_cast ? "cast it: " + cast : std::string();
  const std::string condition = type.is_number() ? fmt::format("({}) <> 0", text) : fmt::format("({}) is not null", text);
  return "write a condition, such as " + condition + (has_cast && type.is_number() ? ", or cast: " + cast : std::string());
}

}  // namespace

ExpressionPtr bind_expression(const Text& text, const Schema& input, Diagnostics& diagnostics) {
  return bind_as(text, input, Type::varchar(), diagnostics);
}

ExpressionPtr bind_expression(const Text& text, const Schema& input, const Type& wanted, const std::string& what,
                              Diagnostics& diagnostics) {
  ExpressionPtr expression = bind_as(text, input, wanted, diagnostics);
  if (expression && !(expression->type() == wanted)) {
    diagnostics.error(text.location, fmt::format("{} must be {}, not {}", what, wanted.name(), expression->type().name()),
                      conversion_hint(text.text, expression->type(), wanted));
    return nullptr;
  }
  return expression;
}

OnError read_on_error(const Config& config) {
  if (!config.has("on_error")) return OnError::kFail;
  const std::string& policy = config.text("on_error");
  return policy == "skip" ? OnError::kSkip : policy == "emit" ? OnError::kEmit : OnError::kFail;
}

std::optional<std::vector<Field>> read_schema(const Config& config, Diagnostics& diagnostics) {
  if (!config.has("schema")) return std::nullopt;
  std::vector<Field> fields;
  bool good = true;
  for (const NamedText& entry : config.entries("schema")) {
    Field field{entry.name, Type::boolean()};
    if (auto error = parse_type(entry.text, field)) {
      diagnostics.error(entry.location.at(error->offset), error->text, error->hint);
      good = false;
    }
    fields.push_back(std::move(field));
  }
  if (!good) return std::nullopt;
  return fields;
}

std::optional<int> find_column(const Text& name, const Schema& schema, Diagnostics& diagnostics) {
  if (auto column = schema.find(name.text)) return column;
  std::vector<std::string> names;
  for (const Field& f : schema.fields()) names.push_back(f.name);
  std::string hint = nearest_hint(name.text, names);
  constexpr std::size_t kMostNamed = 8;
  if (name.text.find_first_of("()+*/|'<>=: ") != std::string::npos) {
    hint = "a name of a column stands here: compute the column in a select step before";
  } else if (hint.empty() && !names.empty()) {
    const std::size_t named = std::min(names.size(), kMostNamed);
    hint =
        fmt::format("columns are {}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                    named < names.size() ? ", ..." : "");
  }
  diagnostics.error(name.location, fmt::format("unknown column '{}'", name.text), hint);
  return std::nullopt;
}

std::vector<Port> with_errors_port(std::vector<Port> ports, OnError policy) {
  if (policy == OnError::kEmit) ports.push_back({"errors", error_schema()});
  return ports;
}

}  // namespace weir
