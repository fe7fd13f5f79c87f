#pragma once

#include "place/draft/draft.h"

namespace detent {

/// A Mul of two activations, each of which a product with weights (Gemm, MatMul) wrote, behind its bias, activation and
/// copies: the gate of SwiGLU and GeGLU.
/// Source  Shazeer 2020, GLU Variants Improve Transformer, arXiv 2002.05202.
[[nodiscard]] bool is_gate_of_mlp(const PlacementDraft& draft, const Node& node);

/// A Mul by a table of positions: sines or cosines of angles, or a constant table that is gathered from. A rotary
/// embedding is the sum of two of them.
/// Source  Su et al. 2021, RoFormer, arXiv 2104.09864.
[[nodiscard]] bool is_rotation(const PlacementDraft& draft, const Node& node);

}  // namespace detent
