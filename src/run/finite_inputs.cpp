#include "run/finite_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/float_type.h"
#include "datasets/base/made_sources.h"
#include "detent/base/error.h"
#include "ops/simd/magnitudes.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// An input of an operator of attention that is added to its scores.
struct BiasSlot {
  std::string_view domain, op_type;
  int slot;
};
constexpr std::array<BiasSlot, 4> kBiasSlots{{{"", "Attention", 3},
                                              {kMicrosoftDomain, "Attention", 5},
                                              {kMicrosoftDomain, "MultiHeadAttention", 5},
                                              {kMicrosoftDomain, "GroupQueryAttention", 10}}};

/// Walks from an input to what it reaches.
class MaskWalk {
 public:
  explicit MaskWalk(const Graph& graph) : graph_(graph), visited_(graph.values().size(), false) {}

  /// True when the value reaches nothing that -inf would ruin.
  bool allows(ValueId value) {
    if (visited_[value]) return true;
    visited_[value] = true;
    return std::ranges::all_of(graph_.value(value).uses, [&](const Use& use) { return allows(use); });
  }

 private:
  bool allows(const Use& use) {
    if (use.slot < 0) return false;  // inside a subgraph
    const Node& node = graph_.node(use.node);
    const OpTraits& traits = traits_of(graph_, node);
    const auto is_bias = [&](const BiasSlot& one) {
      return one.domain == node.domain && one.op_type == node.op_type && one.slot == use.slot;
    };
    if (std::ranges::any_of(kBiasSlots, is_bias)) return true;
    if (traits.kind == OpKind::Softmax || traits.kind == OpKind::LogSoftmax) return true;
    const bool copied =
        (traits.commutes || traits.kind == OpKind::Cast) && (traits.data_inputs < 0 || use.slot < traits.data_inputs);
    if (!copied && traits.kind != OpKind::Add && traits.kind != OpKind::Where) return false;
    return std::ranges::all_of(present(node.outputs), [&](ValueId output) { return allows(output); });
  }

  const Graph& graph_;
  ValueMap<bool> visited_;
};

/// True when an IsNaN reads the input, also through copies: NaN stands for what is missing.
bool may_be_missing(const Graph& graph, ValueId input) {
  std::vector<ValueId> open{input};
  ValueMap<bool> seen(graph.values().size(), false);
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    if (seen[value]) continue;
    seen[value] = true;
    for (const Use& use : graph.value(value).uses) {
      if (use.slot != 0) continue;
      const Node& node = graph.node(use.node);
      if (node.op_type == "IsNaN") return true;
      const OpTraits& traits = traits_of(graph, node);
      if (!traits.commutes && traits.kind != OpKind::Cast) continue;
      for (const ValueId output : present(node.outputs)) open.push_back(output);
    }
  }
  return false;
}

/// Counts of numbers that an input may not hold.
struct Refused {
  size_t nans = 0, infinities = 0, negative = 0;
};

template <class Number>
Refused count_refused(std::span<const Number> numbers) {
  Refused found;
  for (const Number x : numbers) {
    if (std::isfinite(x)) continue;
    ++(std::isnan(x) ? found.nans : x > 0 ? found.infinities : found.negative);
  }
  return found;
}

Refused count_refused(const Tensor& tensor) {
  if (tensor.empty_handle() || tensor.is_sequence() || !is_floating_point(tensor.type())) return {};
  if (tensor.type() == DataType::Float64) return count_refused(tensor.data<double>());
  const Tensor floats = tensor.type() == DataType::Float32 ? tensor : cast(tensor, DataType::Float32);
  const auto numbers = floats.data<float>();
  return all_finite(numbers.data(), numbers.size()) ? Refused() : count_refused(numbers);
}

struct CheckedInput {
  std::string name;
  bool may_mask = false, may_be_missing = false, is_table = false;
};

/// Checks input k of a sample.
void check(const Sample& sample, size_t k, const CheckedInput& input) {
  Refused found = count_refused(sample.inputs[k]);
  if (input.may_be_missing) found.nans = 0;
  const bool minus = found.negative > 0 && !input.may_mask;
  if (found.nans + found.infinities == 0 && !minus) return;
  const char* what = found.nans > 0 ? "NaN" : found.infinities > 0 ? "+inf" : "-inf";
  const size_t count = found.nans > 0 ? found.nans : found.infinities > 0 ? found.infinities : found.negative;
  throw Error(
      ErrorCode::InvalidData,
      "sample '" + sample.name + "': input '" + input.name + "' holds " + what + " in " + std::to_string(count) +
          " of " + std::to_string(sample.inputs[k].element_count()) + " elements" +
          (found.nans + found.infinities == 0 ? ", and is no mask in front of a Softmax" : ""),
      std::string("mend the sample, or leave such samples out with --skip-bad-data") +
          (found.nans > 0 && input.is_table ? "; --feed missing=nan says that NaN is a value that is missing" : ""));
}

}  // namespace

bool may_mask(const Graph& graph, ValueId input) { return MaskWalk(graph).allows(input); }

std::unique_ptr<DataSource> with_finite_inputs(std::unique_ptr<DataSource> source, std::span<const InputSpec> inputs,
                                               const Graph& graph, bool missing_nan) {
  std::vector<CheckedInput> checked;
  for (const InputSpec& input : inputs) {
    const MaybeValue value = graph.find_value(input.name);
    const bool floats = is_floating_point(input.type) && value;
    checked.push_back({input.name, floats && may_mask(graph, *value),
                       floats && (missing_nan || may_be_missing(graph, *value)), input.shape.size() <= 2});
  }
  return std::make_unique<ChangedSource>(std::move(source), [checked](Sample& sample, size_t) {
    for (size_t k = 0; k < std::min(checked.size(), sample.inputs.size()); ++k) check(sample, k, checked[k]);
  });
}

}  // namespace detent
