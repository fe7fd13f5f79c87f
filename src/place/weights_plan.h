#pragma once

#include <cstdint>

#include "place/plan/measured_facts.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// The part of a block format that the choice of layers depends on.
struct WeightBlocks {
  int bits = 4;        ///< of a code: 4 or 8
  int64_t block = 32;  ///< rows of a [K, N] weight under one scale; 0: all
};

/// Makes the plan that quantizes only weights (R16): no pairs, layers compute in float. `weights` holds the products
/// whose constant [K, N] engines take in blocks: the right operand of MatMul, or of Gemm without transposing and with
/// alpha 1; with 8 bits, for engines with R23, also other Gemms and the weights of convolutions, with a scale a channel
/// (the decision's axis). A layer whose data come out of a pair stays as it is. The reasons of other layers name the
/// obstacle. `tables` holds the other constants that may be codes (find_tables). Uses the includes and excludes of
/// `options` and the costly nodes of `measured`. Empty   a graph without weights -> no layers. Errors  those of
/// make_placement_plan. Source  TensorRT's guide, "Quantized types": blocks only for weights of products, extents that
/// are multiples of the block; ONNX Runtime 1.30, DQMatMulNodeGroupSelector: axis 0, one reader, and Gemm as a MatMul.
[[nodiscard]] PlacementPlan make_weights_plan(const Graph& graph, const Target& target, const NodeChoice& nodes,
                                              const WeightBlocks& blocks, const MeasuredFacts& measured = {});

}  // namespace detent
