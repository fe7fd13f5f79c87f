#include "prepare/forms/batchnorm_affine.h"

#include <algorithm>
#include <ranges>

namespace detent {

namespace {

using Channels = Eigen::ArrayXd;

std::optional<Channels> constant_channels(const Graph& graph, MaybeValue id) {
  const Tensor* tensor = graph.constant(id);
  if (!tensor || tensor->shape().rank() != 1) return std::nullopt;
  const Tensor wide = cast(*tensor, DataType::Float64);
  return Eigen::Map<const Channels>(wide.data<double>().data(), wide.element_count());
}

bool is_inference(const Graph& graph, const Node& node) {
  const bool one_output = std::ranges::distance(present(node.outputs)) == 1;
  const bool per_channel = graph.opset() >= 9 || node.int_or("spatial", 1) != 0;
  return one_output && node.output(0) && node.int_or("training_mode", 0) == 0 && per_channel;
}

}  // namespace

std::optional<ChannelAffine> batchnorm_affine(const Graph& graph, const Node& node) {
  if (node.op_type != "BatchNormalization" || !node.domain.empty() || !is_inference(graph, node)) return std::nullopt;
  const auto gamma = constant_channels(graph, node.input(1)), beta = constant_channels(graph, node.input(2));
  const auto mean = constant_channels(graph, node.input(3)), variance = constant_channels(graph, node.input(4));
  if (!gamma || !beta || !mean || !variance) return std::nullopt;
  if (beta->size() != gamma->size() || mean->size() != gamma->size() || variance->size() != gamma->size())
    return std::nullopt;
  ChannelAffine affine;
  affine.factor = *gamma / (*variance + static_cast<double>(node.float_or("epsilon", 1e-5F))).sqrt();
  affine.shift = *beta - *mean * affine.factor;
  if (!affine.factor.allFinite() || !affine.shift.allFinite()) return std::nullopt;
  return affine;
}

}  // namespace detent
