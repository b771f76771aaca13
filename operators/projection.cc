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
      if (auto column = find_column(name, input_, diagnostics_))
        except.push_back(*column);
      else
        good_ = false;
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
    ProjectedColumn column{{item.name, expression->type(), expression->nullable()}, expression->as_column(), expression};
    if (column.carried) {
      const Field& from = input_[*column.carried];
      column.field.nullable = from.nullable;
      column.field.metadata = from.metadata && from.name == item.name;
      column.expression = nullptr;
    }
    if (ProjectedColumn* there = find(item.name))
      *there = std::move(column);
    else
      columns_.push_back(std::move(column));
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
    result.schema = std::make_shared<const Schema>(std::move(schema));
    result.columns = std::move(columns_);
    return result;
  }

 private:
  ProjectedColumn* find(const std::string& name) {
    const auto there =
        std::find_if(columns_.begin(), columns_.end(), [&](const ProjectedColumn& c) { return c.field.name == name; });
    return there == columns_.end() ? nullptr : &*there;
  }

  std::optional<int> event_time() const {
    std::optional<int> result;
    if (!input_.event_time()) return result;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].carried != *input_.event_time()) continue;
      if (columns_[i].field.name == input_[*input_.event_time()].name) return static_cast<int>(i);
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
    if (item.star)
      binder.add_star(item);
    else
      binder.add_named(item);
  }
  return binder.finish(where);
}

}  // namespace weir
