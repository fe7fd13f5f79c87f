#include "equalize/find_absorbable.h"

#include <algorithm>

#include "ops/clip_bounds.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Margin left beyond a channel's extremes for data that were not seen, as a share of their distance.
constexpr double kMargin = 0.5;
/// Steps of 8 bits: moving or shortening a range by less than one step is not worth a change.
constexpr double kSteps = 127;

bool has_rising_slopes(const Graph& graph, const Node& node) {
  const Tensor* slopes = graph.constant(node.input(1));
  if (!slopes) return false;
  const Tensor wide = cast(*slopes, DataType::Float64);
  return std::ranges::all_of(wide.data<double>(), [](double slope) { return slope >= 0; });
}

class AbsorbableFinder {
 public:
  AbsorbableFinder(const Graph& graph, const ShiftFlow& flow) : graph_(graph), flow_(flow) {}

  std::vector<Absorbable> run() const {
    std::vector<Absorbable> found;
    for (const Node& node : graph_.nodes()) {
      const auto high = identity_up_to(graph_, node);
      const ValueId output = node.output(0);
      if (!high || !flow_.takes(output) || graph_.value(output).uses.empty() || !flow_.keeps_channels(node, 0))
        continue;
      const ValueId made = making(node.input(0));
      if (made != kNoValue) found.push_back({output, made, flow_.axis(output), *high});
    }
    return found;
  }

 private:
  /// The value from which a shift of `value` can be subtracted: itself, or an operand of the sum that it is. kNoValue:
  /// none.
  [[nodiscard]] ValueId making(ValueId value) const {
    const Node* node = graph_.producer(value);
    const Value& here = graph_.value(value);
    if (!node || here.is_output || here.uses.size() != 1 || flow_.axis(value) < 0) return kNoValue;
    const OpKind kind = traits_of(graph_, *node).kind;
    if (kind != OpKind::MatMul && bias_behind(graph_, *node)) return value;  // a MatMul's is the Add's
    if (kind != OpKind::Add || !node->domain.empty()) return kNoValue;
    if (flow_.adds_constant(*node)) return value;
    for (size_t slot = 0; slot < node->inputs.size(); ++slot)
      if (flow_.keeps_channels(*node, slot))
        if (const ValueId operand = making(node->inputs[slot]); operand != kNoValue) return operand;
    return kNoValue;
  }

  const Graph& graph_;
  const ShiftFlow& flow_;
};

/// Empty where the value does not get smaller as a whole: one scale serves all channels.
Shift shift_of(const Absorbable& absorbable, const ChannelRange& range) {
  Shift shift(range.max.size());
  double largest = 0, left = 0;
  for (size_t c = 0; c < shift.size(); ++c) largest = std::max(largest, static_cast<double>(range.amax(c)));
  for (size_t c = 0; c < shift.size(); ++c) {
    const auto low = static_cast<double>(range.min[c]), high = static_cast<double>(range.max[c]);
    const double margin = kMargin * (high - low);
    if (low - margin >= largest / kSteps && high + margin <= static_cast<double>(absorbable.high))
      shift[c] = low - margin;
    left = std::max({left, high - shift[c], -low});
  }
  return left < largest * (1 - 1 / kSteps) ? shift : Shift{};
}

}  // namespace

std::optional<float> identity_up_to(const Graph& graph, const Node& node) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (!node.domain.empty()) return std::nullopt;
  switch (traits_of(graph, node).kind) {
    case OpKind::Relu: return kInfinity;
    case OpKind::LeakyRelu: return node.float_or("alpha", 0.01F) >= 0 ? std::optional(kInfinity) : std::nullopt;
    case OpKind::PRelu: return has_rising_slopes(graph, node) ? std::optional(kInfinity) : std::nullopt;
    case OpKind::Clip: {
      const auto bounds = clip_bounds(graph, node);
      return bounds && bounds->low() <= 0 && bounds->high() > 0 ? std::optional(bounds->high()) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

std::vector<Absorbable> find_absorbable(const Graph& graph, const ShiftFlow& flow) {
  return AbsorbableFinder(graph, flow).run();
}

Shifts choose_shifts(const Graph& graph, const ValueShapes& shapes, const ShiftFlow& flow,
                     const std::vector<Absorbable>& absorbable, const ChannelRanges& ranges) {
  std::map<ValueId, Shift> shifts;
  for (const Absorbable& one : absorbable) {
    Shift shift = shift_of(one, ranges.at(one.activation));
    if (!shift.empty()) shifts[one.made] = std::move(shift);
  }
  flow.carry(shifts);
  Shifts named;
  for (const auto& [value, shift] : shifts) {
    ShiftedValue entry{static_cast<int32_t>(shapes.at(value).rank()) - 1 - flow.axis(value), {}};
    for (const double c : shift) entry.shifts.push_back(static_cast<float>(c));
    named[graph.value(value).name] = std::move(entry);
  }
  return named;
}

}  // namespace detent
