#pragma once

#include <string>
#include <vector>

#include "attention/attention_block.h"

namespace detent {

/// True for a product of two activations: MatMul, or Einsum of two operands.
[[nodiscard]] bool multiplies_two_activations(const Graph& graph, const Node& node);

/// The way from a product of two activations to a Softmax.
struct ScoresPath {
  MaybeNode product;
  std::vector<NodeId> nodes, scales;  ///< in execution order, without product and Softmax
  std::vector<ValueId> masks;
  std::string obstacle;  ///< as AttentionBlock::obstacle
  std::string windows;   ///< as AttentionBlock::windows
};

/// Returns the way up from the input of a Softmax, through one number that multiplies, masks, casts and copies; no
/// product where there is none.
[[nodiscard]] ScoresPath path_of_scores(const Graph& graph, ValueId scores, const ExtentsOf& extents_of);

}  // namespace detent
