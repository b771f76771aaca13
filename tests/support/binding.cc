#include "tests/support/binding.h"

#include <stdexcept>

namespace weir {
namespace {

class NoEnvironment final : public Environment {
 public:
  std::optional<std::string> variable(const std::string&) const override { return std::nullopt; }
  std::string file(const std::string& path) const override { throw std::runtime_error("no files here: " + path); }
};

const char* name_of(ComponentKind kind) {
  return kind == ComponentKind::kSource ? "source" : kind == ComponentKind::kStep ? "step" : "sink";
}

std::string file_with(ComponentKind kind, const std::string& yaml, std::size_t inputs) {
  std::string text = fmt::format("{0}s:\n  {0}:\n", name_of(kind));
  std::string from;
  for (std::size_t i = 0; i < inputs; ++i) from += fmt::format("{}{}", i ? ", " : "", static_cast<char>('a' + i));
  if (inputs) text += "    from: " + (inputs > 1 ? "[" + from + "]" : from) + "\n";
  for (std::size_t begin = 0; begin < yaml.size();) {
    const std::size_t end = std::min(yaml.find('\n', begin), yaml.size());
    text += "    " + yaml.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  text += "name: t\n";
  if (inputs) text += "sources:\n";
  for (std::size_t i = 0; i < inputs; ++i) text += fmt::format("  {}: {{ type: test_input }}\n", static_cast<char>('a' + i));
  if (kind != ComponentKind::kSink) text += "sinks:\n";
  if (kind != ComponentKind::kSink)
    text += fmt::format("  out: {{ from: {}, type: test_output }}\n", kind == ComponentKind::kSource ? "source" : "a");
  if (kind != ComponentKind::kSink && yaml.find("on_error: emit") != std::string::npos)
    text += fmt::format("  bad: {{ from: {}.errors, type: test_output }}\n", name_of(kind));
  return text;
}

/// Reads the file and hands the component to `bind`; nothing bound where reading reports an error in it.
template <typename T>
Binding<T> bind_in_file(
    const Components& components, ComponentKind kind, const std::string& yaml, const std::vector<SchemaPtr>& inputs,
    const std::function<std::unique_ptr<T>(const Component&, const std::vector<BoundInput>&, BindContext&)>& bind) {
  Catalogue catalogue;
  for (const Declaration& d : components.catalogue().all()) catalogue.add(d);
  catalogue.add({.kind = ComponentKind::kSource, .name = "test_input", .default_format = ""});
  catalogue.add({.kind = ComponentKind::kSink, .name = "test_output", .default_format = ""});
  Diagnostics diagnostics;
  Binding<T> result;
  auto source = std::make_shared<const SourceText>("t.yaml", file_with(kind, yaml, inputs.size()));
  const auto file = read_pipeline(source, {}, NoEnvironment(), catalogue, diagnostics);
  const Component* component = file ? file->find(name_of(kind)) : nullptr;
  if (component && component->ok()) {
    std::vector<BoundInput> bound_inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      bound_inputs.push_back(
          {component->inputs.at(i).component, component->inputs[i].output, inputs[i], component->inputs[i].location});
    BindContext context{*file, diagnostics};
    result.bound = bind(*component, bound_inputs, context);
  }
  result.problems = diagnostics.format();
  if (!result.bound && result.problems.empty()) throw std::runtime_error("nothing bound, and no problem reported");
  return result;
}

}  // namespace

Binding<BoundStep> bind_step(const Components& components, const std::string& yaml, const std::vector<SchemaPtr>& inputs) {
  return bind_in_file<BoundStep>(
      components, ComponentKind::kStep, yaml, inputs,
      [&](const Component& c, const auto& in, BindContext& context) { return components.step(c.type)(c, in, context); });
}

Binding<BoundSink> bind_sink(const Components& components, const std::string& yaml, const std::vector<SchemaPtr>& inputs) {
  return bind_in_file<BoundSink>(
      components, ComponentKind::kSink, yaml, inputs,
      [&](const Component& c, const auto& in, BindContext& context) { return components.sink(c.type)(c, in, context); });
}

Binding<BoundSource> bind_source(const Components& components, const std::string& yaml) {
  return bind_in_file<BoundSource>(
      components, ComponentKind::kSource, yaml, {},
      [&](const Component& c, const auto&, BindContext& context) { return components.source(c.type)(c, context); });
}

}  // namespace weir
