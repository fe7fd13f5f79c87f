#pragma once

#include <cstdint>

#include "place/plan/measured_float.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// Codes with one scale a block, as far as the choice of layers depends on them.
struct WeightBlocks {
  int bits = 4;        ///< of a code: 4 or 8
  int64_t block = 32;  ///< rows of a [K, N] weight under one scale; 0: all
};

/// The plan that quantizes weights alone (R16): no pair anywhere, layers compute in float. `weights` holds the products
/// whose constant [K, N] engines take in blocks: the right operand of MatMul, or of Gemm without transposing and with
/// alpha 1. For all others the layer's reason says what stands against it. `tables` holds the other constants that may
/// be codes (find_tables). Of `options` includes and excludes count, of `measured` what is costly.
/// Empty   a graph
/// without weights -> no layers.
/// Errors  those of make_placement_plan.
/// Source  TensorRT's guide, "Quantized types":
/// blocks for weights of products alone, extents that are multiples of the block; ONNX
///         Runtime 1.30, DQMatMulNodeGroupSelector: axis 0, one reader, and Gemm as a MatMul.
[[nodiscard]] PlacementPlan make_weights_plan(const Graph& graph, const Target& target, const PlacementOptions& options,
                                              const WeightBlocks& blocks, const MeasuredFloat& measured = {});

}  // namespace detent
