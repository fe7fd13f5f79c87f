#pragma once

#include <cstddef>

#include "model/model.h"

namespace detent {

// Small patches that bring attention into the form that TensorRT fuses: MatMul of a scaled Q
// and K, masks, Softmax, MatMul. Each changes the blocks without an obstacle (find_attention_blocks), leaves outputs as
// they are to rounding, and returns the number of nodes replaced.
// Source  TensorRT developer guide, "Fused Attention": Q or K is multiplied by the scale in front of the first product;
//         NVIDIA Model-Optimizer, pull request 1289.

/// Replaces operators Attention by primitives, where head size, and for a causal one the numbers of tokens, are fixed
/// by the model. A mask shorter than the keys, or another type for Softmax, keeps the operator.
size_t expand_attention_operators(Model& model);

/// Replaces Einsum as a product of attention by MatMul between Transposes; each of rows, columns and sum has to be one
/// axis.
size_t make_matmuls_of_einsums(Model& model);

/// Replaces primitives that compute a Softmax by its operator.
size_t make_softmax_operators(Model& model);

/// Multiplies Q instead of the scores by the scale: the node moves in front of the first product.
size_t move_scales_to_queries(Model& model);

/// Gives products of three axes, batch and heads in one, a fourth in front: the fused kernel takes four. Transposes in
/// front of the operands have to show their axes, and no mask may stand between. Torchvision up to PyTorch 1.13 and
/// MultiheadAttention write this form.
size_t lift_to_four_axes(Model& model);

/// True where the graph has attention that shape_attention() would change.
[[nodiscard]] bool lacks_attention_form(const Graph& graph, bool operators);

/// Does all of them, in this order. Returns the number of nodes replaced.
/// operators  also operators Attention, which an engine may fuse as they are where they get no pairs
size_t shape_attention(Model& model, bool operators = true);

}  // namespace detent
