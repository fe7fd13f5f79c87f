#pragma once

#include <optional>
#include <string>

#include "model/constant_editor.h"
#include "prepare/forms/batchnorm_affine.h"

namespace detent {

/// A Conv, ConvTranspose or Gemm with constant weights, as a function of its output channels.
struct LayerChannels {
  const Node* node = nullptr;
  const Tensor* weight = nullptr;
  /// Element (outer, c, inner) of the weight belongs to output channel (outer / outer_per_group) * extent of `axis` +
  /// c. outer_per_group is the whole outer extent when there is one group.
  size_t axis = 0;
  int64_t groups = 1;
  Eigen::ArrayXd bias;  ///< for each output channel, as it is added to the product

  [[nodiscard]] Eigen::Index count() const { return bias.size(); }
};

/// Returns the channels of a node; nullopt for other nodes, and where weight or bias is no constant of floats.
[[nodiscard]] std::optional<LayerChannels> layer_channels(const Graph& graph, const Node& node);

/// Returns the slot of the constant of an Add, a Sub, a Mul or a Div by a constant.
[[nodiscard]] std::optional<size_t> operator_constant(const Graph& graph, const Node& node);

/// Returns what such an operator behind the layer computes; nullopt where it has not one number for each channel, or
/// adds axes or elements to the layer's output.
[[nodiscard]] std::optional<ChannelAffine> operator_affine(const Graph& graph, const Node& node,
                                                           const LayerChannels& layer);

/// Returns the function that leaves every channel as it is.
[[nodiscard]] ChannelAffine unchanged_channels(Eigen::Index count);

/// Makes `affine` do the work of `next`, too, which reads its result.
void append(ChannelAffine& affine, const ChannelAffine& next);

/// True when exactly one input of a node reads the value and it is not a graph output.
[[nodiscard]] bool is_private(const Graph& graph, MaybeValue value);

/// Folds what `affine` computes of the layer's output without bias into weight and bias, which are called after
/// `output`. The weight stays as it is where all factors are 1. Returns false and changes nothing where a number is not
/// finite in the weight's type.
bool fold_into_layer(const LayerChannels& layer, const ChannelAffine& affine, const std::string& output,
                     ConstantEditor& editor);

}  // namespace detent
