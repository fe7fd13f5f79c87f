#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Returns the extents of a value, -1 for open ones; nullopt where not even the rank is known.
using ExtentsOf = std::function<std::optional<std::vector<int64_t>>(ValueId)>;

/// Sizes of a block of attention; 0 where they are open or not known.
struct AttentionSizes {
  int64_t heads = 0, head_size = 0;
  int64_t queries = 0, keys = 0;  ///< tokens
};

/// Nodes that compute Softmax(scale * Q * K + mask) * V, with K as [..., head size, tokens]; or one node of ONNX's
/// operator Attention.
struct AttentionBlock {
  NodeId first{}, softmax{}, second{};  ///< all the same for the operator
  ValueId query{}, key{}, value{};      ///< what the products read
  MaybeValue probabilities;             ///< what the second product reads; none: the operator
  ValueId output{};
  std::vector<NodeId> between;        ///< first product to Softmax, without these two, in execution order
  std::vector<NodeId> softmax_nodes;  ///< the Softmax, or the primitives of which it consists
  std::vector<NodeId> behind;         ///< Softmax to second product, without these two
  std::vector<NodeId> scales;         ///< nodes of `between` that multiply or divide by one number
  std::vector<ValueId> masks;         ///< what is added to the scores, or chooses among them
  bool rotary = false;                ///< positions turn Q and K
  bool grouped = false;               ///< keys are repeated for groups of queries
  AttentionSizes sizes = {};
  /// The Reshape that parts the batch, so that each window of an image gets its own mask, as a sentence like
  /// `obstacle`; empty without one. Kernels of floats take it.
  std::string windows = {};
  std::string obstacle = {};  ///< why no engine makes one kernel of it, as a sentence; empty: its form is one of those

  [[nodiscard]] bool is_operator() const { return first == second; }
  /// True for a Softmax that consists of primitives.
  [[nodiscard]] bool has_written_softmax() const { return softmax_nodes.size() > 1; }
};

/// Returns the blocks of the graph in the order of their Softmax. A Softmax without a product of two activations on
/// both sides is none.
///
/// Forms   both exporters of PyTorch, timm and Hugging Face (MatMul, scale behind or before the product, mask as Add or
///         Where, Casts, rotary positions, keys repeated by Expand or Tile); JAX (Einsum, Softmax as ReduceMax, Sub,
///         Exp, ReduceSum, Div); ONNX's operator Attention.
/// extents_of  may know nothing: sizes are then 0, and masks are not held against the scores
[[nodiscard]] std::vector<AttentionBlock> find_attention_blocks(const Graph& graph, const ExtentsOf& extents_of);

}  // namespace detent
