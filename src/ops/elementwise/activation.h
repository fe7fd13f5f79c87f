#pragma once

#include <optional>
#include <span>

#include "model/graph/graph.h"
#include "ops/op_kind.h"
#include "ops/simd/elementwise.h"

namespace detent {

/// An activation with its parameters fixed: LeakyRelu's slope in alpha, Clip's bounds in alpha and beta ...
struct ActivationSpec {
  OpKind kind = OpKind::Relu;
  float alpha = 0;
  float beta = 0;
  UnaryFunction function = UnaryFunction::Relu;
};

/// Returns the activation that a node computes from its first input alone; nullopt for other operators and for Clip
/// with bounds that are not constant.
[[nodiscard]] std::optional<ActivationSpec> activation_of(const Graph& graph, const Node& node);

/// Computes values[i] = activation(values[i]).
void apply_activation(const ActivationSpec& activation, std::span<float> values);

/// Adds bias[c] to every element of channel c (axis 1, either layout) and applies the activation, if there is one,
/// while the values are in cache. An empty bias adds nothing. Float32, rank >= 2.
void apply_bias_activation(Tensor& tensor, std::span<const float> bias, const ActivationSpec* activation);

}  // namespace detent
