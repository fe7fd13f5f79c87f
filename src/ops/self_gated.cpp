#include "ops/self_gated.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/clip_bounds.h"

namespace detent {

namespace {

constexpr float kTolerance = 1e-6F;  // of the numbers of HardSwish

OpKind product_kind(const Node& gate, OpKind kind) {
  if (kind == OpKind::Sigmoid) return OpKind::Silu;
  const bool usual = std::abs(gate.float_or("alpha", 0.2F) - 1.0F / 6) < kTolerance &&
                     std::abs(gate.float_or("beta", 0.5F) - 0.5F) < kTolerance;
  return usual ? OpKind::HardSwish : OpKind::OtherActivation;
}

bool read_once(const Graph& graph, ValueId value) {
  const Value& read = graph.value(value);
  return !read.is_output && read.uses.size() == 1 && read.uses.front().slot >= 0;
}

/// Returns the only input that varies of a node of two inputs, the other a constant; kNoValue for other nodes.
MaybeValue varying_input(const Graph& graph, const Node& node) {
  if (node.inputs.size() != 2 || !node.inputs[0] || !node.inputs[1]) return kNoValue;
  const bool first = graph.value(*node.inputs[0]).is_constant, second = graph.value(*node.inputs[1]).is_constant;
  return first == second ? kNoValue : node.inputs[first ? 1 : 0];
}

/// Returns the input of an Add, Sub, Mul or Div of it and a constant; kNoValue for other nodes.
MaybeValue affine_input(const Graph& graph, const Node& node, OpKind kind) {
  const bool fits = kind == OpKind::Add || kind == OpKind::Sub || kind == OpKind::Mul || kind == OpKind::Div;
  const MaybeValue input = fits ? varying_input(graph, node) : kNoValue;
  return kind == OpKind::Div && input != node.input(0) ? kNoValue : input;  // c / x is not linear
}

MaybeValue clipped_input(const Graph& graph, const Node& node, OpKind kind) {
  if (kind == OpKind::Clip || kind == OpKind::Relu) return node.input(0);
  return kind == OpKind::Min || kind == OpKind::Max ? varying_input(graph, node) : kNoValue;
}

/// Returns the number in the operand that does not vary; NaN where it has none, or several.
float constant_of(const Graph& graph, const Node& node, ValueId varying) {
  const Tensor* constant = graph.constant(node.inputs[node.inputs[0] == varying ? 1 : 0]);
  if (!constant || constant->element_count() != 1) return std::numeric_limits<float>::quiet_NaN();
  return cast(*constant, DataType::Float32).data<float>()[0];
}

/// The function slope * x + offset, kept between low and high. NaN where a number is not known.
struct Ramp {
  float slope = 1, offset = 0;
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();

  void multiply(float factor) {
    slope *= factor;
    offset *= factor;
    low *= factor;
    high *= factor;
    if (factor < 0) std::swap(low, high);
  }
  void add(float term) {
    offset += term;
    low += term;
    high += term;
  }
  void clip(float from, float to) {
    low = std::clamp(low, from, to);
    high = std::clamp(high, from, to);
  }
  void spoil() { slope = std::numeric_limits<float>::quiet_NaN(); }

  /// Returns the factor by which the ramp is a multiple of Clip(x / 6 + 1/2, 0, 1); 0 for another function.
  [[nodiscard]] float hard_sigmoid() const {
    const bool fits = low == 0 && std::isfinite(high) && high > 0 && std::abs(slope / high - 1.0F / 6) < kTolerance &&
                      std::abs(offset / high - 0.5F) < kTolerance;
    return fits ? high : 0;
  }
};

/// Applies one more node of a gate, which reads the ramp as `input`.
void apply(const Graph& graph, const Node& node, OpKind kind, ValueId input, Ramp& ramp) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (kind == OpKind::Relu) return ramp.clip(0, kInfinity);
  if (kind == OpKind::Clip) {
    const auto bounds = clip_bounds(graph, node);
    return bounds && bounds->low() <= bounds->high() ? ramp.clip(bounds->low(), bounds->high()) : ramp.spoil();
  }
  const float constant = constant_of(graph, node, input);
  if (std::isnan(constant)) return ramp.spoil();
  switch (kind) {
    case OpKind::Min: return ramp.clip(-kInfinity, constant);
    case OpKind::Max: return ramp.clip(constant, kInfinity);
    case OpKind::Mul: return ramp.multiply(constant);
    case OpKind::Div: return ramp.multiply(1 / constant);
    case OpKind::Add: return ramp.add(constant);
    default: break;
  }
  const bool subtracted = node.inputs[1] == input;  // c - x
  if (subtracted) ramp.multiply(-1);
  ramp.add(subtracted ? constant : -constant);
}

struct ClipGate {
  MaybeNode first;
  bool has_clip = false;  ///< a Clip, not Min, Max or Relu alone
  float hard_sigmoid = 0;
};

/// Finds the Clip and the constant steps that compute `value` from `x`; first is kNoNode when there are none.
ClipGate find_clip_gate(const Graph& graph, ValueId gated, ValueId x) {
  constexpr size_t kLongestGate = 5;  // Add, Max, Min, Div and one more scale
  std::vector<std::pair<const Node*, ValueId>> steps;
  bool clips = false, has_clip = false;
  for (ValueId value = gated; value != x;) {
    if (steps.size() == kLongestGate || !read_once(graph, value)) return {};
    const Node* node = graph.producer(value);
    if (!node) return {};
    const OpKind kind = traits_of(graph, *node).kind;
    const MaybeValue clipped = clipped_input(graph, *node, kind);
    const MaybeValue input = clipped ? clipped : affine_input(graph, *node, kind);
    if (!input) return {};
    clips = clips || clipped;
    has_clip = has_clip || kind == OpKind::Clip;
    value = *input;
    steps.emplace_back(node, value);
  }
  if (!clips) return {};
  Ramp ramp;
  for (size_t i = steps.size(); i-- > 0;)
    apply(graph, *steps[i].first, traits_of(graph, *steps[i].first).kind, steps[i].second, ramp);
  return {steps.back().first->id, has_clip, ramp.hard_sigmoid()};
}

/// Returns x and the constant where `value` is x times a constant that nothing else reads; otherwise `value` and 1.
std::pair<ValueId, float> unscaled(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  const OpKind kind = node ? traits_of(graph, *node).kind : OpKind::Other;
  if ((kind != OpKind::Mul && kind != OpKind::Div) || !read_once(graph, value)) return {value, 1};
  const MaybeValue input = affine_input(graph, *node, kind);
  const float constant = input ? constant_of(graph, *node, *input) : std::numeric_limits<float>::quiet_NaN();
  if (std::isnan(constant)) return {value, 1};
  return {*input, kind == OpKind::Mul ? constant : 1 / constant};
}

/// Finds the gate in `gated` of x: a Clip with any numbers, other gates only where the product is HardSwish.
std::optional<SelfGatedActivation> clip_gated(const Graph& graph, const Node& product, ValueId gated, ValueId x) {
  for (const auto& [input, factor] : {std::pair(x, 1.0F), unscaled(graph, x)}) {
    const ClipGate gate = find_clip_gate(graph, gated, input);
    if (!gate.first || (gate.hard_sigmoid == 0 && (!gate.has_clip || input != x))) continue;
    return SelfGatedActivation{
        SelfGatedActivation::Gate::Clip,           OpKind::OtherActivation, input, *gate.first, product.id,
        std::max(0.0F, factor * gate.hard_sigmoid)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<SelfGatedActivation> self_gated_activation(const Graph& graph, const Node& product) {
  using Gate = SelfGatedActivation::Gate;
  if (product.inputs.size() != 2 || traits_of(graph, product).kind != OpKind::Mul) return std::nullopt;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const MaybeValue gated = product.inputs[side], factor = product.inputs[1 - side];
    const Node* gate = graph.producer(gated);
    if (!gate || !factor) continue;
    const ValueId x = *factor;
    const OpKind kind = traits_of(graph, *gate).kind;
    if (kind == OpKind::Sigmoid || kind == OpKind::HardSigmoid) {
      if (gate->input(0) != x) continue;
      const Gate form = kind == OpKind::Sigmoid ? Gate::Sigmoid : Gate::HardSigmoid;
      const OpKind as_one = product_kind(*gate, kind);
      return SelfGatedActivation{form, as_one, x, gate->id, product.id, as_one == OpKind::HardSwish ? 1.0F : 0.0F};
    }
    if (const auto found = clip_gated(graph, product, *gated, x)) return found;
  }
  return std::nullopt;
}

}  // namespace detent
