#include "operators/projection.h"

#include "runtime/api/component.h"

namespace weir {
namespace {

class ProjectionBinder {
 public:
  ProjectionBinder(const Schema& input, Diagnostics& diagnostics) : input_(input), diagnostics_(diagnostics) {}

  void add_star(const SelectItem& item) {
    std::vector<int> except;
    for (const Text& name : item.except) {
      if (auto column = find_column(name, input_, diagnostics_)) except.push_back(*column);
      else good_ = false;
    }
    for (int i = 0; i < input_.size(); ++i) {
      if (std::find(except.begin(), except.end(), i) == except.end() && !find(input_[i].name))
        columns_.push_back({input_[i], i});
    }
  }

  void add_named(const SelectItem& item) {
    const ExpressionPtr expression = bind_expression(item.expression, input_, diagnostics_);
    if (!expression) {
      good_ = false;
      return;
    }
    refuse_change_of_values(*expression, item);
    ProjectedColumn column{{item.name, expression->type(), expression->nullable()}, expression->as_column(), expression};
    if (column.carried) {
      const Field& from = input_[*column.carried];
      column.field.nullable = from.nullable;
      column.field.metadata = from.metadata && from.name == item.name;
      column.expression = nullptr;
    }
    if (ProjectedColumn* there = find(item.name)) *there = std::move(column);
    else columns_.push_back(std::move(column));
  }

  std::optional<Projection> finish(const Location& where) {
    if (good_ && columns_.empty()) {
      diagnostics_.error(where, "select leaves no column", "name at least one: { total: \"price * quantity\" }");
      good_ = false;
    }
    if (!good_) return std::nullopt;
    Projection result;
    std::vector<Field> fields;
    for (const ProjectedColumn& column : columns_) {
      fields.push_back(column.field);
      result.computes |= !column.carried;
    }
    Schema schema(std::move(fields));
    schema.set_event_time(event_time());
    schema.set_changelog(input_.changelog());
    schema.set_keys(keys());
    result.schema = std::make_shared<const Schema>(std::move(schema));
    result.columns = std::move(columns_);
    return result;
  }

 private:
  /// A row of a changelog is computed when it comes and again when it is retracted: both must give the same.
  void refuse_change_of_values(const Expression& expression, const SelectItem& item) {
    if (!input_.changelog() || expression.is_deterministic()) return;
    diagnostics_.error(item.expression.location,
                       fmt::format("rows of this input change and go, and '{}' depends on more than the row: what retracts "
                                   "a row would not be equal to it",
                                   item.name),
                       "compute it from columns alone, or in a select before the rows are aggregated; a Kafka sink writes "
                       "the time of writing with timestamp: \"now()\"");
  }

  ProjectedColumn* find(const std::string& name) {
    const auto there =
        std::find_if(columns_.begin(), columns_.end(), [&](const ProjectedColumn& c) { return c.field.name == name; });
    return there == columns_.end() ? nullptr : &*there;
  }

  std::optional<int> event_time() const { return input_.event_time() ? where_is(*input_.event_time()) : std::nullopt; }

  /// The keys of which every column is still there.
  std::vector<std::vector<int>> keys() const {
    std::vector<std::vector<int>> result;
    for (const std::vector<int>& key : input_.keys()) {
      std::vector<int> columns;
      for (const int column : key)
        if (const auto now = where_is(column)) columns.push_back(*now);
      std::sort(columns.begin(), columns.end());
      if (columns.size() == key.size()) result.push_back(std::move(columns));
    }
    return result;
  }

  /// Where an input column is carried to: under its name, else the first copy.
  std::optional<int> where_is(int input_column) const {
    std::optional<int> result;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].carried != input_column) continue;
      if (columns_[i].field.name == input_[input_column].name) return static_cast<int>(i);
      if (!result) result = static_cast<int>(i);
    }
    return result;
  }

  const Schema& input_;
  Diagnostics& diagnostics_;
  std::vector<ProjectedColumn> columns_;
  bool good_ = true;
};

}  // namespace

std::optional<Projection> bind_projection(const std::vector<SelectItem>& items, const Location& where, const Schema& input,
                                          Diagnostics& diagnostics) {
  ProjectionBinder binder(input, diagnostics);
  for (const SelectItem& item : items) {
    if (item.star) binder.add_star(item);
    else binder.add_named(item);
  }
  return binder.finish(where);
}

}  // namespace weir
