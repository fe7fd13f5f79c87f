#include "exec/held_steps.h"

#include <algorithm>

#include "model/graph/file_boundary.h"

namespace detent {

namespace {

/// Bytes that one executor keeps; where there are more, the files in front run again.
constexpr size_t kMostHeld = size_t{512} << 20;

bool same_tensor(const Tensor& one, const Tensor& other) {
  return one.raw() == other.raw() && one.shape() == other.shape() && one.type() == other.type();
}

}  // namespace

HeldSteps::HeldSteps(const Schedule& schedule) {
  const Graph& graph = schedule.graph();
  const std::span<const Step> steps = schedule.steps();
  const auto is_boundary = [&](const Step& step) { return is_file_boundary(graph.node(step.node)); };
  if (std::ranges::none_of(steps, is_boundary)) return;
  in_front_.assign(steps.size(), false);
  ValueMap<bool> needed(graph.values().size());
  for (size_t i = steps.size(); i-- > 0;) {
    const auto is_needed = [&](ValueId value) { return bool(needed[value]); };
    in_front_[i] = is_boundary(steps[i]) || std::ranges::any_of(present(steps[i].outputs), is_needed);
    for (const ValueId value : in_front_[i] ? reads_of(steps[i]) : std::vector<ValueId>()) needed[value] = true;
  }
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    if (needed[graph.inputs()[i]]) inputs_.push_back(i);
  is_read_.assign(graph.values().size(), false);
  for (const Value& value : graph.values()) is_read_[value.id] = schedule.is_wanted(value.id);
  for (size_t i = 0; i < steps.size(); ++i)
    for (const ValueId value : in_front_[i] ? std::vector<ValueId>() : reads_of(steps[i])) is_read_[value] = true;
}

bool HeldSteps::begin(std::span<const Tensor> inputs, ValueMap<Tensor>& values) {
  if (empty()) return false;
  bool same = read_.size() == inputs_.size() && !kept_.empty();
  for (size_t i = 0; same && i < inputs_.size(); ++i) same = same_tensor(read_[i], inputs[inputs_[i]]);
  if (!same) {
    read_.clear(), kept_.clear();
    bytes_ = 0;
  }
  for (const auto& [value, tensor] : kept_) values[value] = tensor;
  return same;
}

void HeldSteps::keep(const Step& step, const ValueMap<Tensor>& values) {
  if (bytes_ > kMostHeld) return;
  for (const ValueId output : present(step.outputs)) {
    if (!is_read_[output]) continue;
    kept_.emplace_back(output, values[output]);
    bytes_ += values[output].empty_handle() ? 0 : values[output].byte_count();
  }
  if (bytes_ > kMostHeld) kept_.clear();
}

void HeldSteps::end(std::span<const Tensor> inputs) {
  if (bytes_ > kMostHeld) return;
  for (const size_t input : inputs_) read_.push_back(inputs[input]);
}

}  // namespace detent
