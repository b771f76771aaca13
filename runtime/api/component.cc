#include "runtime/api/component.h"

#include "runtime/base/nearest.h"

namespace weir {

void Components::add_source(Declaration declaration, BindSource bind) {
  sources_.emplace(declaration.name, std::move(bind));
  catalogue_.add(std::move(declaration));
}

void Components::add_step(Declaration declaration, BindStep bind) {
  steps_.emplace(declaration.name, std::move(bind));
  catalogue_.add(std::move(declaration));
}

void Components::add_sink(Declaration declaration, BindStep bind) {
  sinks_.emplace(declaration.name, std::move(bind));
  catalogue_.add(std::move(declaration));
}

namespace {

ExpressionPtr bind_as(const Text& text, const Schema& input, const Type& literal, Diagnostics& diagnostics) {
  if (text.text.empty()) return nullptr;  // it did not read, which was reported
  std::vector<ExpressionError> errors;
  ExpressionPtr expression = Expression::compile(text.text, input, errors, literal);
  for (const ExpressionError& e : errors) {
    const std::string quoting = quoting_hint(text);
    diagnostics.error(text.location.at(e.offset), e.text, quoting.empty() ? e.hint : quoting);
  }
  return errors.empty() ? expression : nullptr;
}

}  // namespace

ExpressionPtr bind_expression(const Text& text, const Schema& input, Diagnostics& diagnostics) {
  return bind_as(text, input, Type::varchar(), diagnostics);
}

ExpressionPtr bind_expression(const Text& text, const Schema& input, const Type& wanted, const std::string& what, Diagnostics& diagnostics) {
  ExpressionPtr expression = bind_as(text, input, wanted, diagnostics);
  if (expression && !(expression->type() == wanted)) {
    diagnostics.error(text.location, fmt::format("{} must be {}, not {}", what, wanted.name(), expression->type().name()),
                      fmt::format("write a condition, or cast: ({})::{}", text.text, wanted.name()));
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
  diagnostics.error(name.location, fmt::format("unknown column '{}'", name.text), nearest_hint(name.text, names));
  return std::nullopt;
}

std::vector<Port> with_errors_port(std::vector<Port> ports, OnError policy) {
  if (policy == OnError::kEmit) ports.push_back({"errors", error_schema()});
  return ports;
}

}  // namespace weir
