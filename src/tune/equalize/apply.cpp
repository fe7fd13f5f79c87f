#include "tune/equalize/apply.h"

#include <algorithm>

#include "detent/error.h"
#include "equalize/absorb_patch.h"
#include "equalize/equalize_patch.h"
#include "equalize/find_absorbable.h"
#include "exec/executor.h"
#include "observe/channel_range_observer.h"

namespace detent {

namespace {

/// Activations among the values that are shifted.
std::vector<ValueId> shifted_activations(const Graph& graph, const Shifts& shifts) {
  std::vector<ValueId> found;
  for (const auto& [name, value] : shifts) {
    const ValueId id = graph.find_value(name);
    const Node* node = id == kNoValue ? nullptr : graph.producer(id);
    if (node && identity_up_to(graph, *node)) found.push_back(id);
  }
  return found;
}

/// True when on these inputs no activation bends what is subtracted.
bool holds_on(const Graph& graph, const Shifts& shifts, std::span<const Tensor> inputs) {
  const std::vector<ValueId> activations = shifted_activations(graph, shifts);
  const std::vector<Tensor> tensors = run_once(graph, inputs, activations);
  for (size_t i = 0; i < activations.size(); ++i) {
    const ValueId id = activations[i];
    const ShiftedValue& shifted = shifts.at(graph.value(id).name);
    const int axis = static_cast<int>(tensors[i].shape().rank()) - 1 - shifted.from_right;
    ChannelRangeObserver observer(std::map<ValueId, int>{{id, axis}});
    observer.observe(id, tensors[i]);
    const auto extremes = observer.ranges();
    const auto seen = extremes.find(id);
    if (seen == extremes.end() || seen->second.min.size() != shifted.shifts.size()) return false;
    const float high = *identity_up_to(graph, *graph.producer(id));
    for (size_t c = 0; c < shifted.shifts.size(); ++c)
      if (shifted.shifts[c] != 0 && (seen->second.min[c] < shifted.shifts[c] || seen->second.max[c] >= high))
        return false;
  }
  return true;
}

}  // namespace

std::optional<OutputChange> absorb(Model& model, const Shifts& shifts, std::span<const Tensor> inputs) {
  if (shifts.empty()) return std::nullopt;
  const GraphPatch patch = make_absorb_patch(model.graph(), shifts);
  const bool comparable = !inputs.empty() && holds_on(model.graph(), shifts, inputs);
  const NamedOutputs before = comparable ? outputs_of(model, inputs) : NamedOutputs{};
  apply_patch(model, patch);
  return comparable ? changed_output(before, model, inputs) : std::nullopt;
}

void apply_absorption(Model& model, const Shifts& shifts, std::span<const Tensor> inputs) {
  if (const auto changed = absorb(model, shifts, inputs))
    throw Error(ErrorCode::Internal, "absorbing biases " + changed->what);
}

std::vector<AbsorbReport::Value> describe_shifts(const Graph& graph, const Shifts& shifts) {
  std::vector<AbsorbReport::Value> values;
  for (const ValueId id : shifted_activations(graph, shifts)) {
    const std::vector<float>& shift = shifts.at(graph.value(id).name).shifts;
    const auto absorbed = static_cast<size_t>(std::ranges::count_if(shift, [](float c) { return c != 0; }));
    values.push_back({graph.value(id).name, shift.size(), absorbed});
  }
  return values;
}

void apply_equalization(Model& model, const Equalization& equalization, std::span<const Tensor> inputs) {
  apply_absorption(model, equalization.shifts, inputs);
  if (equalization.values.empty()) return;
  const NamedOutputs before = inputs.empty() ? NamedOutputs{} : outputs_of(model, inputs);
  apply_patch(model, make_equalize_patch(model.graph(), equalization));
  if (!inputs.empty()) check_same_outputs(before, model, inputs, "equalization");
}

}  // namespace detent
