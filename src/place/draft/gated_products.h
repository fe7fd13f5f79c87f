#pragma once

#include "place/draft/draft.h"

namespace detent {

/// True for a Mul of two activations that are both outputs of products with weights (Gemm, MatMul), behind bias,
/// activation and copies: the gate of SwiGLU and GeGLU.
/// Source  Shazeer 2020, GLU Variants Improve Transformer, arXiv 2002.05202.
[[nodiscard]] bool is_gate_of_mlp(const GraphFacts& facts, const PlacementDraft& draft, const Node& node);

/// True for a Mul by a table of positions: sines or cosines of angles, or a constant table that is gathered from. A
/// rotary embedding is the sum of two of them.
/// Source  Su et al. 2021, RoFormer, arXiv 2104.09864.
[[nodiscard]] bool is_rotation(const GraphFacts& facts, const PlacementDraft& draft, const Node& node);

}  // namespace detent
