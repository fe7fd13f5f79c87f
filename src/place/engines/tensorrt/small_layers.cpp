// Layers with few channels stay float: they gain nothing in INT8.
//
//   head Conv of 1 output channel:   before: Q --> DQ --> Conv(16 -> 1)        after: Conv(16 -> 1) in float
//
// * Decides: layers with few channels stay float:
//
//   - A Conv of one group with fewer than 16 input or output channels. It is INT8 all the same if three things hold:
//     input or output channels are a multiple of 8; the kernel is square; the Conv reads a graph input, or one of the
//     two counts is at least 16.
//   - A Conv of several groups with fewer than 16 output channels or input channels per group. It is INT8 all the same
//     if each kernel extent is at least 3, and output channels are a multiple of 8 or, of a depthwise Conv, at
//     least 16.
//   - A Gemm or MatMul with N or K below 16, or with one row or column.
//   - In three dimensions a Conv below 64 input or output channels, a ConvTranspose below 128, and both below 8192
//     output positions. In one and two dimensions ConvTranspose has no such rule.
//   - With `--type fp8` a Conv with at most 16 output channels, or at most 16 input channels per group: every depthwise
//     Conv.
//
//   A size counts if the file declares it, or if it follows from what the file declares.
// * Why: such layers gain nothing in INT8, and FP8 kernels with so few channels are slower than those of FP16.
// * Change it: `--policy small-layers=auto|quantize`; `quantize` turns the rule off.
// * Source: Model-Optimizer (channel and GEMV exclusions). Three dimensions: TensorRT 10.6 on an H100, 12544 positions.
//   Depthwise Convs of 20, 58 and 116 channels run in INT8 there. Speed of INT8 over FP16 between pairs: Conv of 8, 12,
//   16, 32, 64 and 128 channels .87, .93, .91, 1.00, 1.04 and 1.30; ConvTranspose of 16, 32, 64, 128 and 256 channels
//   .8, .9, .95, .87 to 1.11 and 1.04. The limit of 8192 positions is an assumption.
// * Networks: models/occupancy3d, whose head has one output channel.

#include <fmt/core.h>

#include <algorithm>

#include "place/draft/certain_shapes.h"
#include "place/engines/tensorrt/rules.h"

namespace detent::rules::tensorrt {
namespace {

constexpr int64_t kSmall = 16;  // channels below which Model-Optimizer checks the form
constexpr int64_t kSmallConvIn3d = 64, kSmallDeconvolutionIn3d = 128;
constexpr int64_t kFewPositionsIn3d = 8192;  // two thirds of those of the probes
constexpr int64_t kVector = 8;               // channels per vector of TensorRT's INT8 layouts that it requires

bool fed_by_graph_input(const GraphFacts& facts, const Node& node) { return facts.value(*node.input(0)).is_input; }

bool is_small_conv(const PlacementDraft& draft, const Node& node) {
  const Shape& weight = draft.facts().weight(node.id).shape();
  const int64_t group = node.int_or("group", 1);
  const int64_t out = weight[0], per_group = weight[1];
  if (draft.options().type == CodeType::Fp8) return out <= kSmall || per_group <= kSmall;
  if (out >= kSmall && per_group >= kSmall) return false;
  const auto kernel = weight.dims().subspan(2);
  if (group != 1)
    return !((out % kVector == 0 || (per_group == 1 && out >= kSmall)) &&
             std::all_of(kernel.begin(), kernel.end(), [](int64_t k) { return k >= 3; }));
  const bool square = std::all_of(kernel.begin(), kernel.end(), [&](int64_t k) { return k == kernel[0]; });
  const bool divisible = out % kVector == 0 || per_group % kVector == 0;
  return !(divisible && square && (fed_by_graph_input(draft.facts(), node) || out >= kSmall || per_group >= kSmall));
}

// Returns the rows of the product that the model fixes, declared or not; -1 when open. Only for products of two
// matrices.
int64_t certain_rows(CertainShapes& shapes, const Node& node) {
  const auto shape = shapes.of(node.output(0));
  return shape && shape->size() == 2 ? (*shape)[0] : -1;
}

bool is_small_product(const GraphFacts& facts, const Node& node, CertainShapes& shapes) {
  const Shape& weight = facts.weight(node.id).shape();
  const bool transposed = facts.kind(node.id) == OpKind::Gemm && node.int_or("transB", 0) != 0;
  const bool on_the_left = facts.weight_slot(node.id) == 0;
  int64_t rows = weight[weight.rank() - 2], columns = weight[weight.rank() - 1];
  if (transposed != on_the_left) std::swap(rows, columns);  // rows = K, columns = N
  return rows < kSmall || columns < kSmall || certain_rows(shapes, node) == 1;
}

// Returns the positions of an output for which the model fixes every spatial extent; -1 when one is open.
int64_t certain_positions(CertainShapes& shapes, const Node& node) {
  const auto shape = shapes.of(node.output(0));
  if (!shape || shape->size() < 3) return -1;
  int64_t positions = 1;
  for (size_t axis = 2; axis < shape->size(); ++axis) {
    if ((*shape)[axis] < 0) return -1;
    positions *= (*shape)[axis];
  }
  return positions;
}

// True for a 3-D layer of few channels, in all groups together, or of few positions.
bool is_small_in_3d(const GraphFacts& facts, const Node& node, CertainShapes& shapes) {
  const Shape& weight = facts.weight(node.id).shape();
  if (weight.rank() != 5) return false;
  const bool conv = facts.kind(node.id) == OpKind::Conv;
  if (std::min(weight[0], weight[1] * node.int_or("group", 1)) < (conv ? kSmallConvIn3d : kSmallDeconvolutionIn3d))
    return true;
  const int64_t positions = certain_positions(shapes, node);
  return positions >= 0 && positions < kFewPositionsIn3d;
}

bool is_small(const PlacementDraft& draft, const Node& node, CertainShapes& shapes) {
  switch (draft.facts().kind(node.id)) {
    case OpKind::Conv: return is_small_conv(draft, node) || is_small_in_3d(draft.facts(), node, shapes);
    case OpKind::ConvTranspose: return is_small_in_3d(draft.facts(), node, shapes);
    case OpKind::Gemm:
    case OpKind::MatMul: return is_small_product(draft.facts(), node, shapes);
    default: return false;
  }
}

void mark_small_layers(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.options().small_layers == PlacementOptions::SmallLayers::Quantize) return;
  CertainShapes shapes(facts);
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || draft.is_forced(node.id) || !is_small(draft, node, shapes)) continue;
    draft.keep_out(node.id,
                   fmt::format("weight {} is too small to gain from {} (--policy small-layers=quantize overrides)",
                               facts.weight(node.id).shape().to_string(), draft.codes()));
  }
}

}  // namespace

constinit const Rule kSmallLayers{.name = {"R10", "small layer"}, .mark = mark_small_layers};

}  // namespace detent::rules::tensorrt
