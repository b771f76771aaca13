#include "operators/bound_step.h"

namespace weir {
namespace {

class MadeStep final : public BoundStep {
 public:
  MadeStep(std::vector<Port> ports, std::function<std::unique_ptr<Operator>()> make, Exchange exchange)
      : ports_(std::move(ports)), make_(std::move(make)), exchange_(std::move(exchange)) {}

  const std::vector<Port>& ports() const override { return ports_; }
  Exchange exchange(int) const override { return exchange_; }
  std::unique_ptr<Operator> create(AttemptContext&) const override { return make_(); }

 private:
  std::vector<Port> ports_;
  std::function<std::unique_ptr<Operator>()> make_;
  Exchange exchange_;
};

}  // namespace

std::unique_ptr<BoundStep> bound_step(std::vector<Port> ports, std::function<std::unique_ptr<Operator>()> make,
                                      Exchange exchange) {
  return std::make_unique<MadeStep>(std::move(ports), std::move(make), std::move(exchange));
}

void check_condition(const ExpressionPtr& condition, const Location& where, const Schema& input, Diagnostics& diagnostics) {
  if (!condition || !input.changelog() || condition->is_deterministic()) return;
  diagnostics.error(where,
                    "rows of this input change and go, and the condition depends on more than the row: one that was let "
                    "through might not be taken back",
                    "compare columns alone, or filter the rows before they are aggregated");
}

}  // namespace weir
