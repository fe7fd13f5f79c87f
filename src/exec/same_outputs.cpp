#include "exec/same_outputs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/float_type.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "ops/value_types.h"

namespace detent {

namespace {

double largest_magnitude(std::span<const float> values) {
  double largest = 0;
  for (const float value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  return largest;
}

std::optional<OutputChange> change(const Tensor& expected, const Tensor& got, const std::string& name, double share,
                                   bool half) {
  if (expected.type() != got.type() || expected.shape() != got.shape())
    return OutputChange{name, "changed type or shape of output '" + name + "'"};
  if (expected.empty_handle()) return std::nullopt;  // an absent optional
  if (expected.is_sequence()) {
    for (size_t i = 0; i < expected.elements().size(); ++i)
      if (auto found = change(expected.elements()[i], got.elements()[i], name, share, half)) return found;
    return std::nullopt;
  }
  const Tensor a = cast(expected, DataType::Float32);
  const Tensor b = cast(got, DataType::Float32);
  const double bound = share * (half ? 2e-2 : 1e-4) * std::max(largest_magnitude(a.data<float>()), 1e-6);
  double worst = 0;
  for (size_t k = 0; k < a.data<float>().size(); ++k) {
    const double x = a.data<float>()[k], y = b.data<float>()[k];
    if (x == y || std::isnan(x)) continue;  // of equal infinities the difference is NaN
    worst = std::max(worst, std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) : HUGE_VAL);
  }
  if (worst <= bound) return std::nullopt;
  return OutputChange{name, fmt::format("changed output '{}' by {:.2g}, allowed is {:.2g}", name, worst, bound)};
}

}  // namespace

NamedOutputs outputs_of(const Model& model, std::span<const Tensor> inputs) {
  const Graph& graph = model.graph();
  NamedOutputs outputs{names_of(graph, RunnablePart(graph).ends()), {}};
  outputs.tensors = run_once(graph, inputs, values_named(graph, outputs.names));
  outputs.half = std::ranges::any_of(value_types(graph), is_half);
  return outputs;
}

std::optional<OutputChange> changed_output(const NamedOutputs& before, const Model& after,
                                           std::span<const Tensor> inputs, double share) {
  const std::vector<Tensor> got = run_once(after.graph(), inputs, values_named(after.graph(), before.names));
  for (size_t i = 0; i < got.size(); ++i)
    if (auto found = change(before.tensors[i], got[i], before.names[i], share, before.half)) return found;
  return std::nullopt;
}

void check_same_outputs(const NamedOutputs& before, const Model& after, std::span<const Tensor> inputs,
                        const std::string& surgery) {
  if (const auto found = changed_output(before, after, inputs))
    throw Error(ErrorCode::Internal, surgery + " " + found->what);
}

}  // namespace detent
