#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/api/operator.h"
#include "runtime/api/row_errors.h"
#include "runtime/api/source.h"
#include "runtime/config/catalogue.h"
#include "runtime/config/pipeline_file.h"

namespace weir {

/// What a component may look at while it is bound. Binding contacts nothing outside.
struct BindContext {
  const PipelineFile& file;
  Diagnostics& diagnostics;
};

/// An input of a step or sink: one output of another component.
struct BoundInput {
  std::string component;  ///< its name
  std::string output;     ///< "" or the named output
  SchemaPtr schema;
  Location location;  ///< where `from` names it
};

/// Makes a source from its keys. On problems: reports them (all, with positions) and returns null.
using BindSource = std::function<std::unique_ptr<BoundSource>(const Component&, BindContext&)>;
/// Makes a step from its keys and its inputs' schemas, likewise. One whose ports do not depend on what is wrong may
/// return itself all the same, so that what reads it is looked at; it is never run then.
using BindStep = std::function<std::unique_ptr<BoundStep>(const Component&, const std::vector<BoundInput>&, BindContext&)>;
/// A sink, likewise.
using BindSink = std::function<std::unique_ptr<BoundSink>(const Component&, const std::vector<BoundInput>&, BindContext&)>;

/// All components that the program has; filled by the wiring, then only read.
class Components {
 public:
  void add_connection(Declaration declaration) { catalogue_.add(std::move(declaration)); }
  void add_format(Declaration declaration) { catalogue_.add(std::move(declaration)); }
  void add_source(Declaration declaration, BindSource bind);
  void add_step(Declaration declaration, BindStep bind);
  void add_sink(Declaration declaration, BindSink bind);
  /// Adds the names of the language that are not built; call it last.
  void finish() { catalogue_.add_not_supported_yet(); }

  const Catalogue& catalogue() const { return catalogue_; }
  const BindSource& source(const std::string& type) const { return sources_.at(type); }
  const BindStep& step(const std::string& operation) const { return steps_.at(operation); }
  const BindSink& sink(const std::string& type) const { return sinks_.at(type); }

 private:
  Catalogue catalogue_;
  std::map<std::string, BindSource> sources_;
  std::map<std::string, BindStep> steps_;
  std::map<std::string, BindSink> sinks_;
};

// What many components need while they are bound.

/// Compiles an expression of the file; problems are reported at their place in it.
ExpressionPtr bind_expression(const Text& text, const Schema& input, Diagnostics& diagnostics);
/// The same, and the type must be the wanted one (`what` names the key in the message).
ExpressionPtr bind_expression(const Text& text, const Schema& input, const Type& wanted, const std::string& what,
                              Diagnostics& diagnostics);
/// The value of `on_error`; kFail where it is not written.
OnError read_on_error(const Config& config);
/// The columns of the key `schema`; nothing where it is not given or a type does not parse (reported).
std::optional<std::vector<Field>> read_schema(const Config& config, Diagnostics& diagnostics);
/// The index of a column named in a YAML position (plain, exact); unknown ones are reported with the nearest name.
std::optional<int> find_column(const Text& name, const Schema& schema, Diagnostics& diagnostics);
/// The ports of a step or sink: the given ones, then "errors" if the policy emits.
std::vector<Port> with_errors_port(std::vector<Port> ports, OnError policy);

}  // namespace weir
