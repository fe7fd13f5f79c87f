#pragma once

#include <Eigen/Core>

#include <optional>

#include "model/graph/graph.h"

namespace detent {

/// y = x * factor + shift per channel, the function of an inference BatchNormalization.
struct ChannelAffine {
  Eigen::ArrayXd factor, shift;
};

/// Returns what a BatchNormalization computes: factor = g / sqrt(var + eps), shift = beta - mean * factor. nullopt for
/// other nodes, in training, and where a parameter is no constant or the result not finite.
[[nodiscard]] std::optional<ChannelAffine> batchnorm_affine(const Graph& graph, const Node& node);

}  // namespace detent
