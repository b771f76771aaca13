#include "runtime/expr/bind/registry.h"

namespace weir::expr {

namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

void random_number(const KernelCall& c) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ull;
  const std::uint64_t stream = mixed(c.frame.context.random_seed + kGolden * (c.place + 1));
  const auto first = static_cast<std::uint64_t>(c.frame.context.first_row);
  double* out = c.out.fresh<double>(c.rows.batch);
  c.rows.each([&](std::int32_t i) {
    const std::uint64_t bits = mixed(stream + kGolden * (first + static_cast<std::uint64_t>(i) + 1));
    out[i] = static_cast<double>(bits >> 11) * 0x1p-53;
  });
}

}  // namespace

void add_miscellaneous_functions(Registry& r) {
  Signature s{"random",
              {},
              always<Type::dbl>,
              random_number,
              "A number from 0 up to, not including, 1; fixed by the seed, the row's number and the place of the call.",
              "random() < 1"};
  s.deterministic = false;
  r.add(s);
}

}  // namespace weir::expr
