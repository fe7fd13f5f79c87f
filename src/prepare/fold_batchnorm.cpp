#include "prepare/fold_batchnorm.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "model/constant_editor.h"
#include "model/graph_patch.h"
#include "prepare/forms/batchnorm_affine.h"

namespace detent {

namespace {

using Channels = Eigen::ArrayXd;

/// The output channels of a weight: element (outer, c, inner) belongs to output channel (outer / outer_per_group) *
/// axis extent + c. outer_per_group is the whole outer extent when there is one group.
struct ChannelAxis {
  size_t axis;
  int64_t groups = 1;
};

std::optional<ChannelAxis> weight_channels(const Node& node, const Shape& weight) {
  if (!node.domain.empty()) return std::nullopt;
  if (node.op_type == "Conv" && weight.rank() >= 3) return ChannelAxis{0};
  if (node.op_type == "ConvTranspose" && weight.rank() >= 3) {
    const int64_t groups = node.int_or("group", 1);
    if (groups < 1 || weight[0] % groups != 0) return std::nullopt;
    return ChannelAxis{1, groups};
  }
  if (node.op_type == "Gemm" && weight.rank() == 2)
    return ChannelAxis{node.int_or("transB", 0) != 0 ? size_t{0} : size_t{1}};
  return std::nullopt;
}

std::optional<Tensor> scaled_weight(const Tensor& weight, const ChannelAxis& channels, const Channels& factor) {
  const Shape& shape = weight.shape();
  const int64_t outer = shape.element_count(0, channels.axis), extent = shape[channels.axis];
  const int64_t inner = shape.element_count(channels.axis + 1, shape.rank());
  if (outer == 0 || extent * channels.groups != factor.size()) return std::nullopt;  // groups divide a non-zero extent
  Tensor wide = cast(weight, DataType::Float64);
  if (!wide.owns_memory_alone()) wide = wide.clone();
  double* data = wide.mutable_data<double>().data();
  const int64_t outer_per_group = outer / channels.groups;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < extent; ++c) {
      const double scale = factor[(o / std::max<int64_t>(outer_per_group, 1)) * extent + c];
      Eigen::Map<Channels>(data + (o * extent + c) * inner, inner) *= scale;
    }
  return cast(wide, weight.type());
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

bool all_finite(const Tensor& tensor) {
  const Tensor wide = cast(tensor, DataType::Float64);
  return std::ranges::all_of(wide.data<double>(), [](double x) { return std::isfinite(x); });
}

Tensor channels_tensor(const Channels& values, DataType type) {
  return cast(Tensor::from<double>(Shape{values.size()}, std::span(values.data(), static_cast<size_t>(values.size()))),
              type);
}

/// True when exactly one node reads the value and it is not a graph output.
bool is_private(const Graph& graph, MaybeValue id) {
  return graph.value(*id).uses.size() == 1 && !graph.value(*id).is_output;
}

/// Returns a constant operand with one number for each channel. from_right  the axis of the result that counts channels
std::optional<Channels> channel_operand(const Graph& graph, MaybeValue id, size_t from_right, Eigen::Index count) {
  const Tensor* constant = graph.constant(id);
  if (!constant) return std::nullopt;
  const Shape& shape = constant->shape();
  for (size_t i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1 && (shape.rank() - 1 - i != from_right || shape[i] != count)) return std::nullopt;
  const Tensor wide = cast(*constant, DataType::Float64);
  const auto values = wide.data<double>();
  if (values.size() == 1) return Channels::Constant(count, values[0]);
  return Channels(Eigen::Map<const Channels>(values.data(), count));
}

/// Returns the constant operand of an Add, a Mul or a Div by a constant.
std::optional<size_t> constant_slot(const Graph& graph, const Node& node) {
  const bool divides = node.op_type == "Div";
  if (!node.domain.empty() || node.inputs.size() != 2 || !(divides || node.op_type == "Add" || node.op_type == "Mul"))
    return std::nullopt;
  for (const size_t slot : {size_t{1}, size_t{0}})
    if (graph.value(*node.inputs[slot]).is_constant) return divides && slot == 0 ? std::nullopt : std::optional(slot);
  return std::nullopt;
}

/// The producer whose output a BatchNormalization normalises: a weighted node, with or without operators by constants
/// behind it, the last one first: the Add that Paddle writes instead of a ConvTranspose's bias, the Div by the
/// normalization's factors that PyTorch's quantization-aware training leaves.
struct Source {
  const Node* node = nullptr;
  std::vector<const Node*> between;
};

Source source_of(const Graph& graph, MaybeValue normalised) {
  Source source;
  for (MaybeValue value = normalised;;) {
    source.node = is_private(graph, value) ? graph.producer(value) : nullptr;
    const auto slot = source.node ? constant_slot(graph, *source.node) : std::nullopt;
    if (!slot) return source;
    source.between.push_back(source.node);
    value = source.node->inputs[1 - *slot];
  }
}

/// Returns what the operators between a weighted node and a BatchNormalization make of the node's output without bias.
std::optional<ChannelAffine> affine_between(const Graph& graph, const Source& source, size_t from_right,
                                            Channels bias) {
  ChannelAffine affine{Channels::Ones(bias.size()), std::move(bias)};
  for (const Node* node : source.between | std::views::reverse) {
    const auto operand =
        channel_operand(graph, node->inputs[*constant_slot(graph, *node)], from_right, affine.factor.size());
    if (!operand) return std::nullopt;
    if (node->op_type == "Add") {
      affine.shift += *operand;
    } else {
      const Channels factor = node->op_type == "Div" ? operand->inverse() : *operand;
      affine.factor *= factor;
      affine.shift *= factor;
    }
  }
  return affine;
}

std::optional<GraphPatch> find_fold(const Graph& graph, const Node& batchnorm) {
  const std::optional<ChannelAffine> affine = batchnorm_affine(graph, batchnorm);
  const Source source = affine ? source_of(graph, batchnorm.input(0)) : Source{};
  const Node* node = source.node;
  const Tensor* weight = node ? graph.constant(node->input(1)) : nullptr;
  const auto channels = weight ? weight_channels(*node, weight->shape()) : std::nullopt;
  if (!channels) return std::nullopt;
  const Eigen::Index count = affine->factor.size();
  const std::optional<Channels> bias = bias_of(graph, *node, count);
  if (!bias) return std::nullopt;
  // Weights and outputs have equally many axes behind the channels.
  const std::optional<ChannelAffine> before = affine_between(graph, source, weight->shape().rank() - 2, *bias);
  if (!before) return std::nullopt;
  std::optional<Tensor> scaled = scaled_weight(*weight, *channels, before->factor * affine->factor);
  if (!scaled) return std::nullopt;
  Tensor shifted = channels_tensor(before->shift * affine->factor + affine->shift, weight->type());
  if (!all_finite(*scaled) || !all_finite(shifted)) return std::nullopt;  // FP16 can overflow

  const std::string& output = graph.value(*batchnorm.output(0)).name;
  ConstantEditor editor(graph);
  editor.replace(*node, 1, std::move(*scaled), output + "_weight");
  editor.replace(*node, 2, std::move(shifted), output + "_bias");
  GraphPatch patch = editor.take("fold BatchNormalization '" + batchnorm.name + "' into '" + node->name + "'");
  if (node->op_type == "Gemm" && node->float_or("beta", 1.0F) != 1.0F)
    patch.set_attributes.push_back({node->name, {"beta", 1.0F}});
  patch.remove_nodes.push_back(batchnorm.name);
  for (const Node* step : source.between) patch.remove_nodes.push_back(step->name);
  patch.rename_outputs.push_back({node->name, 0, output});
  return patch;
}

std::vector<GraphPatch> find_batchnorm_folds(const Graph& graph) {
  std::vector<GraphPatch> folds;
  for (const Node& node : graph.nodes())
    if (std::optional<GraphPatch> fold = find_fold(graph, node)) folds.push_back(std::move(*fold));
  return folds;
}

}  // namespace

size_t fold_batchnorms(Model& model) {
  size_t count = 0;
  // A second round finds a BatchNormalization behind one that was folded in the first.
  for (std::vector<GraphPatch> folds = find_batchnorm_folds(model.graph()); !folds.empty();
       folds = find_batchnorm_folds(model.graph())) {
    for (const GraphPatch& fold : folds) apply_patch(model, fold);
    count += folds.size();
  }
  return count;
}

}  // namespace detent
