#include "equalize/tie_channels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "core/float_type.h"
#include "equalize/spread_channels.h"
#include "ops/clip_bounds.h"
#include "ops/self_gated.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Most channels of a value that is equalized: no layer has as many, and every channel takes memory here.
constexpr int64_t kMostChannels = 1 << 20;

/// Most elements of a constant that is spread over channels.
constexpr int64_t kMostElements = 1 << 20;

/// Returns the extent of a constant operand on the axis of the result; 1 where it is broadcast.
int64_t extent_at(const Shape& operand, const Shape& result, size_t axis) {
  const size_t missing = result.rank() - std::min(operand.rank(), result.rank());
  return axis < missing ? 1 : operand[axis - missing];
}

bool is_zero(const Tensor& tensor) {
  const Tensor wide = cast(tensor, DataType::Float64);
  return std::ranges::all_of(wide.data<double>(), [](double x) { return x == 0; });
}

/// Ties and pins the channels of a graph, node by node.
class ChannelTier {
 public:
  ChannelTier(const Graph& graph, const ValueShapes& shapes, ActivationFactors activations)
      : graph_(graph), shapes_(shapes), activations_(activations) {}

  TiedChannels run() {
    for (const Node& node : graph_.nodes())
      if (!visit(node)) pin_around(node);
    for (const Value& value : graph_.values()) pin_ends(value);
    return {std::move(axes_), std::move(ties_), std::move(marks_), std::move(limits_), std::move(gates_)};
  }

 private:
  [[nodiscard]] ValueMap<int64_t> counts() const {
    ValueMap<int64_t> counts(axes_.size());
    for (const auto& [value, shape] : shapes_)
      if (axes_[value] >= 0 && shape[axis_of(value)] <= kMostChannels) counts[value] = shape[axis_of(value)];
    return counts;
  }

  [[nodiscard]] size_t axis_of(ValueId value) const { return static_cast<size_t>(axes_[value]); }
  [[nodiscard]] const Shape& shape_of(ValueId value) const { return shapes_.at(value); }
  [[nodiscard]] bool constant(MaybeValue value) const { return value && graph_.value(*value).is_constant; }
  ChannelMarks& marks(ValueId value) { return marks_[value]; }

  void pin_ends(const Value& value) {
    const bool read_inside = std::ranges::any_of(value.uses, [](const Use& use) { return use.slot < 0; });
    if (value.is_output || !value.producer || read_inside) pin(value.id);
  }

  /// Pins the channels of a value, and those that it holds of another one.
  void pin(ValueId value) {
    ties_.pin(value);
    if (const auto spread = spread_.find(value); spread != spread_.end())
      for (const int64_t channel : spread->second.channels()) ties_.pin(spread->second.root, channel);
  }

  void pin_around(const Node& node) {
    for (const ValueId value : present(node.inputs)) pin(value);
    for (const ValueId value : present(node.outputs)) pin(value);
  }

  /// Returns true when every channel around the node is accounted for.
  bool visit(const Node& node) {
    if (!node.domain.empty()) return false;
    switch (traits_of(graph_, node).kind) {
      case OpKind::Conv:
      case OpKind::ConvTranspose:
      case OpKind::Gemm:
      case OpKind::MatMul: return visit_weighted(node);
      case OpKind::LayerNorm:
      case OpKind::InstanceNorm: return visit_norm(node);
      case OpKind::Relu:
      case OpKind::LeakyRelu:
      case OpKind::PRelu: return visit_relu(node);
      case OpKind::Clip: return visit_clip(node);
      case OpKind::HardSwish:
      case OpKind::Silu: return visit_activation(node);
      case OpKind::Add:
      case OpKind::Sub: return visit_sum(node);
      case OpKind::Mul:
      case OpKind::Div: return visit_product(node);
      case OpKind::MaxPool:
      case OpKind::AveragePool:
      case OpKind::GlobalAveragePool:
      case OpKind::ReduceMean: return tie_first(node);
      case OpKind::Reshape:
      case OpKind::Transpose:
      case OpKind::Slice: return tie_first(node) || move_channels(node);
      case OpKind::Gather:
      case OpKind::Expand:
      case OpKind::Tile: return move_channels(node);
      case OpKind::Resize:
        return node.string_or("coordinate_transformation_mode", "") != "tf_crop_and_resize" && tie_first(node);
      case OpKind::Pad: return pads_homogeneously(node) && tie_first(node);
      case OpKind::Concat: return tie_parts(node, *node.output(0), node.inputs, 1);
      case OpKind::Split: return tie_parts(node, *node.input(0), node.outputs, 0) || move_channels(node);
      case OpKind::ShapeOf: return true;
      default: return false;
    }
  }

  bool visit_weighted(const Node& node) {
    if (!is_rescalable(graph_, node)) return visit_averages(node);
    const ValueId in = *node.input(0), out = *node.output(0);
    if (!ties_.tracks(in)) pin(in);
    if (ties_.tracks(in) && channel_axis_read(graph_, node, shape_of(in)) != axis_of(in)) pin(in);
    if (ties_.tracks(out) && channel_axis_written(graph_, node, shape_of(out)) != axis_of(out)) pin(out);
    return true;
  }

  /// Returns the channels of a value that has them along one axis or spread over several.
  [[nodiscard]] std::optional<SpreadChannels> channels_of(ValueId value) const {
    if (ties_.tracks(value)) return SpreadChannels::of(value, shape_of(value), axis_of(value));
    const auto spread = spread_.find(value);
    return spread == spread_.end() ? std::nullopt : std::optional(spread->second);
  }

  /// Ties a value to the channels that it holds; remembers them where they lie in several axes.
  bool hold(ValueId value, std::optional<SpreadChannels> channels) {
    if (!channels) return false;
    if (!ties_.tracks(value)) {
      spread_.emplace(value, std::move(*channels));
      return true;
    }
    const auto along = channels->along(axis_of(value));
    if (!along) return false;
    for (size_t c = 0; c < along->size(); ++c)
      ties_.tie(channels->root, (*along)[c], value, static_cast<int64_t>(c), 1);
    return true;
  }

  /// Follows channels through a node that moves elements.
  bool move_channels(const Node& node) {
    const auto channels = channels_of(*node.input(0));
    if (!channels) return false;
    for (size_t output = 0; output < node.outputs.size(); ++output)
      if (node.output(output) && !hold(*node.output(output), moved(graph_, shapes_, node, output, *channels)))
        return false;
    return true;
  }

  /// Follows the channels of the second operand through a product of two activations: attention's weighted sums of
  /// values. The weights are no channels.
  bool visit_averages(const Node& node) {
    if (traits_of(graph_, node).kind != OpKind::MatMul || constant(node.input(1))) return false;
    auto channels = channels_of(*node.input(1));
    if (!channels) return false;
    const ValueId root = channels->root;
    if (!hold(*node.output(0), averaged(shapes_, node, std::move(*channels)))) return false;
    pin(*node.input(0));
    marks(root).value = true;
    return true;
  }

  /// Pins the input of a normalization: its scale has no effect except through epsilon.
  bool visit_norm(const Node& node) {
    const ValueId out = *node.output(0);
    const bool alone = std::ranges::distance(present(node.outputs)) == 1;
    if (!alone || !ties_.tracks(out)) return false;
    const auto last = static_cast<int64_t>(shape_of(out).rank()) - 1;
    if (traits_of(graph_, node).kind == OpKind::LayerNorm) {
      const int64_t axis = node.int_or("axis", -1);
      if (axis != -1 && axis != last) return false;
    }
    for (size_t slot = 1; slot < node.inputs.size(); ++slot) {
      if (!node.inputs[slot]) continue;
      const Tensor* operand = graph_.constant(node.inputs[slot]);
      if (!operand || operand->shape() != Shape{ties_.count(out)}) return false;
    }
    if (channel_axis_written(graph_, node, shape_of(out)) != axis_of(out)) return false;
    pin(*node.input(0));
    marks(out).norm = true;
    return true;
  }

  bool visit_relu(const Node& node) {
    const MaybeValue slopes = node.input(1);
    if (slopes && !constant(slopes)) return false;
    if (!tie_first(node)) return false;
    marks(*node.output(0)).relu = true;
    return true;
  }

  bool visit_clip(const Node& node) {
    const auto bounds = clip_bounds(graph_, node);
    constexpr float kUnbounded = -std::numeric_limits<float>::infinity();
    if (!bounds || (bounds->low() != 0 && bounds->low() > kUnbounded) || bounds->high() <= 0 || !tie_first(node))
      return false;
    marks(*node.output(0)).relu = true;
    float& limit = limits_[*node.input(0)];
    limit = std::min(limit, bounds->high());  // several Clips may read the value
    return true;
  }

  /// Ties the channels of input 0 and output 0.
  bool tie_first(const Node& node) { return tie_whole(node, 0); }

  bool tie_whole(const Node& node, size_t slot, size_t output = 0) {
    if (!node.output(output)) return true;
    if (!ties_.tracks(node.input(slot)) || !ties_.tracks(node.output(output))) return false;
    const ValueId in = *node.input(slot), out = *node.output(output);
    if (ties_.count(in) != ties_.count(out)) return false;
    if (axis_behind(graph_, shapes_, node, slot, axis_of(in), output) != axis_of(out)) return false;
    ties_.tie(in, 0, out, 0, ties_.count(in));
    return true;
  }

  bool pads_homogeneously(const Node& node) const {
    if (node.string_or("mode", "constant") != "constant") return true;
    if (!node.input(2)) return node.float_or("value", 0) == 0;
    const Tensor* value = graph_.constant(node.input(2));
    return value && is_zero(*value);
  }

  /// Ties both operands of a sum to it. A constant of any shape can be multiplied unless it grows too much.
  bool visit_sum(const Node& node) {
    const ValueId out = *node.output(0);
    if (!ties_.tracks(out) || node.inputs.size() != 2) return false;
    for (size_t slot = 0; slot < 2; ++slot) {
      if (!constant(node.inputs[slot])) continue;
      const Tensor* operand = graph_.constant(node.inputs[slot]);
      if (!operand || operand->shape().rank() > shape_of(out).rank()) return false;
      const int64_t extent = extent_at(operand->shape(), shape_of(out), axis_of(out));
      if (extent != ties_.count(out) && operand->element_count() * ties_.count(out) > kMostElements) return false;
    }
    for (size_t slot = 0; slot < 2; ++slot)
      if (!constant(node.inputs[slot]) && !tie_whole(node, slot)) return false;
    return true;
  }

  bool visit_product(const Node& node) {
    if (node.inputs.size() != 2) return false;
    const bool divides = traits_of(graph_, node).kind == OpKind::Div;
    if (constant(node.input(1))) return visit_scaled(node, 0, 1);
    if (divides) return false;
    if (constant(node.input(0))) return visit_scaled(node, 1, 0);
    if (visit_gated(node)) return true;
    return multiplies_itself(node) ? visit_activation(node) : visit_factors(node);
  }

  /// True when a factor of each channel can be put into the weighted op that makes the value and nothing else reads it.
  [[nodiscard]] bool absorbs_factors(ValueId value) const {
    const Value& one = graph_.value(value);
    const auto readers =
        std::ranges::count_if(one.uses, [&](const Use& use) { return use.slot < 0 || !reads_shape(use); });
    if (!one.producer || one.is_output || readers != 1 || !ties_.tracks(value)) return false;
    const Node& node = graph_.node(*one.producer);
    switch (traits_of(graph_, node).kind) {
      case OpKind::Relu:
      case OpKind::LeakyRelu:
      case OpKind::Reshape:
      case OpKind::Transpose:
      case OpKind::Slice:
      case OpKind::Split: return absorbs_factors(*node.input(0));
      case OpKind::Add: return absorbs_factors(*node.input(constant(node.input(0)) ? 1 : 0)) && has_constant(node);
      default: return is_rescalable(graph_, node);
    }
  }
  [[nodiscard]] bool reads_shape(const Use& use) const {
    return traits_of(graph_, graph_.node(use.node)).kind == OpKind::ShapeOf;
  }
  [[nodiscard]] bool has_constant(const Node& node) const {
    return std::ranges::any_of(node.inputs, [&](MaybeValue value) { return constant(value); });
  }

  /// Ties a product of two activations to the one of them that a layer makes, as SwiGLU's: a * (f b) = f (a * b).
  bool visit_factors(const Node& node) {
    for (const size_t slot : {size_t{1}, size_t{0}}) {
      if (!absorbs_factors(*node.inputs[slot]) || !tie_whole(node, slot)) continue;
      pin(*node.inputs[1 - slot]);
      marks(*node.output(0)).product = true;
      return true;
    }
    return false;
  }

  /// True for x * Sigmoid(x), x * HardSigmoid(x) and the formula of HardSwish.
  [[nodiscard]] bool multiplies_itself(const Node& node) const {
    const auto gated = self_gated_activation(graph_, node);
    return gated && (gated->form != SelfGatedActivation::Gate::Clip || gated->hard_swish > 0);
  }

  /// Pins the inputs of an activation; a Mul behind it can multiply its output.
  bool visit_activation(const Node& node) {
    const ValueId out = *node.output(0);
    if (activations_ == ActivationFactors::None || !ties_.tracks(out)) return false;
    for (const ValueId in : present(node.inputs)) pin(in);
    marks(out).act = true;
    return true;
  }

  /// Visits x * constant. A constant with one number a channel absorbs a factor between x and the product; a scalar
  /// passes it on.
  bool visit_scaled(const Node& node, size_t slot, size_t constant_slot) {
    const ValueId in = *node.input(slot), out = *node.output(0);
    const Tensor* operand = graph_.constant(node.input(constant_slot));
    if (!operand || !ties_.tracks(in) || !ties_.tracks(out) || ties_.count(in) != ties_.count(out)) return false;
    if (operand->shape().rank() > shape_of(out).rank()) return false;
    if (axis_behind(graph_, shapes_, node, slot, axis_of(in)) != axis_of(out)) return false;
    if (ties_.count(out) == 1 || extent_at(operand->shape(), shape_of(out), axis_of(out)) != ties_.count(out))
      return tie_whole(node, slot);
    marks(out).norm = true;
    return true;
  }

  /// True for a value of one number per channel and sample.
  [[nodiscard]] bool is_gate(ValueId value, const Shape& product) const {
    if (!ties_.tracks(value) || axis_of(value) != 1) return false;
    const Shape& shape = shape_of(value);
    return shape.rank() == product.rank() && shape.rank() > 2 && shape[1] == product[1] &&
           shape.element_count(2, shape.rank()) == 1 && product.element_count(2, product.rank()) > 1;
  }

  bool visit_gated(const Node& node) {
    const ValueId out = *node.output(0);
    if (!ties_.tracks(out) || axis_of(out) != 1) return false;
    for (const size_t slot : {size_t{0}, size_t{1}}) {
      const ValueId x = *node.inputs[1 - slot], gate = *node.inputs[slot];
      if (!is_gate(gate, shape_of(out)) || !ties_.tracks(x) || shape_of(x) != shape_of(out)) continue;
      if (axis_of(x) != 1) continue;
      pin(gate);
      marks(out).gate = true;
      gates_.push_back({node.id, static_cast<int>(slot)});
      return true;
    }
    return false;
  }

  /// Ties parts that lie one behind the other in the whole, along channels or along another axis. The places of
  /// parts are not known when one of them is left out.
  bool tie_parts(const Node& node, ValueId whole, std::span<const MaybeValue> parts, int64_t default_axis) {
    if (!ties_.tracks(whole)) return false;
    for (const MaybeValue part : parts)
      if (!ties_.tracks(part) || axis_of(*part) != axis_of(whole)) return false;
    const auto rank = static_cast<int64_t>(shape_of(whole).rank());
    const int64_t axis = node.int_or("axis", default_axis);
    const bool over_channels = (axis < 0 ? axis + rank : axis) == static_cast<int64_t>(axis_of(whole));
    int64_t first = 0;
    for (const ValueId part : present(parts)) {
      ties_.tie(whole, over_channels ? first : 0, part, 0, ties_.count(part));
      first += ties_.count(part);
    }
    return true;
  }

  const Graph& graph_;
  const ValueShapes& shapes_;
  ActivationFactors activations_;
  ValueMap<int> axes_ = channel_axes(graph_, shapes_);
  ChannelTies ties_{counts()};
  ValueMap<ChannelMarks> marks_{graph_.values().size()};
  ValueMap<float> limits_ = ValueMap<float>(graph_.values().size(), std::numeric_limits<float>::infinity());
  std::vector<Use> gates_;
  std::map<ValueId, SpreadChannels> spread_;
};

}  // namespace

TiedChannels tie_channels(const Graph& graph, const ValueShapes& shapes, ActivationFactors activations) {
  return ChannelTier(graph, shapes, activations).run();
}

}  // namespace detent
