#include "prepare/layer_channels.h"

#include <algorithm>
#include <cmath>

#include "core/float_type.h"

namespace detent {

namespace {

using Channels = Eigen::ArrayXd;

/// Finds the axis of the weight that counts output channels, and the groups.
bool find_axis(const Node& node, LayerChannels& layer) {
  const Shape& weight = layer.weight->shape();
  if (!node.domain.empty()) return false;
  if (node.op_type == "Conv" && weight.rank() >= 3) return true;
  if (node.op_type == "ConvTranspose" && weight.rank() >= 3) {
    layer.axis = 1, layer.groups = node.int_or("group", 1);
    return layer.groups >= 1 && weight[0] % layer.groups == 0;
  }
  if (node.op_type != "Gemm" || weight.rank() != 2) return false;
  layer.axis = node.int_or("transB", 0) != 0 ? 0 : 1;
  return true;
}

/// Returns the bias per output channel, 0 when there is none; nullopt when it is not one number a channel.
std::optional<Channels> bias_of(const Graph& graph, const Node& node, Eigen::Index count) {
  const double beta = node.op_type == "Gemm" ? static_cast<double>(node.float_or("beta", 1.0F)) : 1.0;
  if (!node.input(2)) return Channels::Zero(count);
  const Tensor* bias = graph.constant(node.input(2));
  if (!bias) return std::nullopt;
  const Shape& shape = bias->shape();
  const Tensor wide = cast(*bias, DataType::Float64);
  const auto values = wide.data<double>();
  if (values.size() == 1) return Channels::Constant(count, beta * values[0]);
  const bool per_channel = bias->element_count() == count && shape.rank() > 0 && shape[shape.rank() - 1] == count;
  if (!per_channel) return std::nullopt;
  return Channels(beta * Eigen::Map<const Channels>(values.data(), count));
}

std::optional<Tensor> scaled_weight(const LayerChannels& layer, const Channels& factor) {
  const Shape& shape = layer.weight->shape();
  const int64_t outer = shape.element_count(0, layer.axis), extent = shape[layer.axis];
  const int64_t inner = shape.element_count(layer.axis + 1, shape.rank());
  if (outer == 0 || extent * layer.groups != factor.size()) return std::nullopt;  // groups divide a non-zero extent
  Tensor wide = cast(*layer.weight, DataType::Float64);
  if (!wide.owns_memory_alone()) wide = wide.clone();
  double* data = wide.mutable_data<double>().data();
  const int64_t outer_per_group = outer / layer.groups;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < extent; ++c) {
      const double scale = factor[(o / std::max<int64_t>(outer_per_group, 1)) * extent + c];
      Eigen::Map<Channels>(data + (o * extent + c) * inner, inner) *= scale;
    }
  return cast(wide, layer.weight->type());
}

bool all_finite(const Tensor& tensor) {
  const Tensor wide = cast(tensor, DataType::Float64);
  return std::ranges::all_of(wide.data<double>(), [](double x) { return std::isfinite(x); });
}

Tensor channels_tensor(const Channels& values, DataType type) {
  return cast(Tensor::from<double>(Shape{values.size()}, std::span(values.data(), static_cast<size_t>(values.size()))),
              type);
}

/// Returns a constant operand with one number for each channel.
/// axis  that counts channels, from the right; rank  of the layer's output
std::optional<Channels> channel_operand(const Tensor& constant, size_t axis, size_t rank, Eigen::Index count) {
  const Shape& shape = constant.shape();
  if (shape.rank() > rank) return std::nullopt;
  for (size_t i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1 && (shape.rank() - 1 - i != axis || shape[i] != count)) return std::nullopt;
  const Tensor wide = cast(constant, DataType::Float64);
  const auto values = wide.data<double>();
  if (values.size() == 1) return Channels::Constant(count, values[0]);
  return Channels(Eigen::Map<const Channels>(values.data(), count));
}

}  // namespace

std::optional<LayerChannels> layer_channels(const Graph& graph, const Node& node) {
  const bool weighted = node.op_type == "Conv" || node.op_type == "ConvTranspose" || node.op_type == "Gemm";
  LayerChannels layer{.node = &node, .weight = weighted ? graph.constant(node.input(1)) : nullptr, .bias = {}};
  if (!layer.weight || !is_floating_point(layer.weight->type()) || !find_axis(node, layer)) return std::nullopt;
  auto bias = bias_of(graph, node, layer.weight->shape()[layer.axis] * layer.groups);
  if (!bias) return std::nullopt;
  layer.bias = std::move(*bias);
  return layer;
}

std::optional<size_t> operator_constant(const Graph& graph, const Node& node) {
  const bool divides = node.op_type == "Div";
  const bool fits = divides || node.op_type == "Add" || node.op_type == "Sub" || node.op_type == "Mul";
  if (!node.domain.empty() || node.inputs.size() != 2 || !fits) return std::nullopt;
  for (const size_t slot : {size_t{1}, size_t{0}})
    if (graph.value(*node.inputs[slot]).is_constant) return divides && slot == 0 ? std::nullopt : std::optional(slot);
  return std::nullopt;
}

std::optional<ChannelAffine> operator_affine(const Graph& graph, const Node& node, const LayerChannels& layer) {
  const auto slot = operator_constant(graph, node);
  const Tensor* constant = slot ? graph.constant(node.inputs[*slot]) : nullptr;
  if (!constant) return std::nullopt;
  // Weights and outputs have equally many axes behind the channels.
  const size_t rank = layer.weight->shape().rank();
  const auto operand = channel_operand(*constant, rank - 2, rank, layer.count());
  if (!operand) return std::nullopt;
  const Channels ones = Channels::Ones(layer.count()), zeros = Channels::Zero(layer.count());
  if (node.op_type == "Mul") return ChannelAffine{*operand, zeros};
  if (node.op_type == "Div") return ChannelAffine{operand->inverse(), zeros};
  if (node.op_type == "Add") return ChannelAffine{ones, *operand};
  return *slot == 0 ? ChannelAffine{-ones, *operand} : ChannelAffine{ones, -*operand};  // c - x, x - c
}

ChannelAffine unchanged_channels(Eigen::Index count) { return {Channels::Ones(count), Channels::Zero(count)}; }

void append(ChannelAffine& affine, const ChannelAffine& next) {
  affine.factor *= next.factor;
  affine.shift = affine.shift * next.factor + next.shift;
}

bool is_private(const Graph& graph, MaybeValue value) {
  return value && graph.value(*value).uses.size() == 1 && !graph.value(*value).is_output;
}

bool fold_into_layer(const LayerChannels& layer, const ChannelAffine& affine, const std::string& output,
                     ConstantEditor& editor) {
  Tensor bias = channels_tensor(layer.bias * affine.factor + affine.shift, layer.weight->type());
  std::optional<Tensor> weight;
  if ((affine.factor != 1.0).any()) {
    weight = scaled_weight(layer, affine.factor);
    if (!weight || !all_finite(*weight)) return false;
  }
  if (!all_finite(bias)) return false;  // FP16 can overflow
  if (weight) editor.replace(*layer.node, 1, std::move(*weight), output + "_weight");
  editor.replace(*layer.node, 2, std::move(bias), output + "_bias");
  if (layer.node->op_type == "Gemm" && layer.node->float_or("beta", 1.0F) != 1.0F)
    editor.patch().set_attributes.push_back({layer.node->name, {"beta", 1.0F}});
  return true;
}

}  // namespace detent
