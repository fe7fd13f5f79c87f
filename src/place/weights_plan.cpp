// `quantize-weights` writes weights in blocks.
//
//   before:   x ---------> MatMul --> y         after:   x -------------------------------> MatMul --> y
//             w (float) ---^                             w (int4, a scale a block) --> DQ --^
//
// * Decides: `quantize-weights` places no pairs. The constant right operand of a MatMul, or of a Gemm with alpha 1 that
//   transposes nothing, becomes integers with one scale a block of rows, behind a separate DequantizeLinear. A Gemm
//   with transB and a MatMul behind a Transpose get the transposed constant first. A weight with an odd number of 4-bit
//   codes stays float; for TensorRT also one whose rows are no multiple of the block. For OpenVINO such a weight has
//   the largest shorter block that divides its rows (48 rows: 24), or one scale a column; one with 4-bit codes and an
//   odd number of rows stays float. Other constants of 1024 numbers or more, in four rows or more, become INT8 codes:
//
//   - Embeddings (read by Gather) and positions (added) get a scale a column, if at most one number in 16 becomes 0. An
//     embedding stays float if a product reads its rows directly: engines would take that for INT8 activations.
//   - Other constants of Add, Sub, Mul and Where (masks) get one scale, if it gives back every number.
//
//   For ONNX Runtime the DequantizeLinear of an embedding stands behind the Gather, with axis -1. For TensorRT it
//   stands behind the constant, because TensorRT takes scales per channel on constants alone.
// * Why: large language models are limited by memory bandwidth. ONNX Runtime makes one MatMulNBits of the two nodes if
//   the DequantizeLinear has one reader; all 25 products of a small GPT, 9 of a ViT and 14 of a BERT were fused.
// * Change it: `--type int4|int8`, `--block`, `--include`, `--exclude`, `--max-drop`, `--min-sqnr` (R13). `--policy
//   exclude-op=Gather` leaves embeddings float, `--exclude` of any reader the constant that it reads.
// * Source: ONNX DequantizeLinear-21; TensorRT guide, "Quantized types"; ONNX Runtime 1.30,
//   `DQMatMulNodeGroupSelector`, tried.

#include "place/weights_plan.h"

#include "core/float_type.h"
#include "place/draft/draft.h"
#include "place/draft/tables.h"
#include "place/rules/rules.h"

namespace detent {

namespace {

/// Returns why the weight of a layer stays float; empty when it can be quantized.
std::string obstacle(const GraphFacts& facts, const Node& node, const WeightBlocks& blocks) {
  const OpKind kind = facts.kind(node.id);
  if (kind != OpKind::MatMul && kind != OpKind::Gemm)
    return "engines take integer weights with float activations in MatMul and Gemm only";
  if (facts.weight_slot(node.id) != 1) return "the weight is the left operand, which engines take in float only";
  const DataType type = facts.weight(node.id).type();
  if (type != DataType::Float32 && !is_half(type))
    return "no scale has the type of the weight, " + std::string(name_of(type));
  const Shape& shape = facts.weight(node.id).shape();
  if (shape.rank() != 2) return "the weight of rank " + std::to_string(shape.rank()) + " is not a matrix";
  if (shape.element_count() == 0) return "the weight is empty";
  if (kind == OpKind::Gemm) {
    if (node.float_or("alpha", 1.0F) != 1.0F) return "alpha is not 1, which engines do not fuse";
    if (node.int_or("transA", 0) != 0 || node.int_or("transB", 0) != 0)
      return "an operand is transposed, which engines do not fuse";
  }
  if (blocks.bits == 4 && shape.element_count() % 2 != 0) return "an odd number of 4-bit codes fills no whole byte";
  if (blocks.bits == 4 && facts.target().engine.shortens_blocks && shape[0] % 2 != 0)
    return "its " + std::to_string(shape[0]) + " rows of 4-bit codes fill no whole bytes, which " +
           std::string(facts.target().engine.title) + " reads wrong";
  if (facts.target().engine.blocks_divide_rows && blocks.block > 0 && shape[0] % blocks.block != 0)
    return "its " + std::to_string(shape[0]) + " rows are not a multiple of the block of " +
           std::to_string(blocks.block) + ", as " + std::string(facts.target().engine.title) + " needs";
  return {};
}

}  // namespace

constinit const Rule rules::kWeightsAlone{.name = {"R16", "weights alone"}};

PlacementPlan make_weights_plan(const Graph& graph, const Target& target, const NodeChoice& nodes,
                                const WeightBlocks& blocks, const MeasuredFacts& measured) {
  const GraphFacts facts(graph, target);
  const PlacementRequest request{{nodes}};
  PlacementDraft draft(facts, request, measured);
  for (const Rule* rule : {&rules::kUserChoice, &rules::kMeasuredChoice}) {
    draft.begin_rule(rule);
    rule->mark(facts, draft);
  }
  draft.begin_rule(&rules::kWeightsAlone);
  for (const Node& node : graph.nodes()) {
    if (!facts.is_weighted(node.id) || draft.is_out(node.id)) continue;
    const std::string against = obstacle(facts, node, blocks);
    if (against.empty()) draft.quantize_weight(node.id);
    draft.run_float(node.id,
                    against.empty() ? "only the weight is stored as integers; the layer computes in float" : against);
  }
  if (blocks.bits == 8 && !target.engine.int8_weights_alone)
    draft.note(std::string(target.engine.title) +
               " turns weights of 8 bits into 16-bit floats when the layer computes in float: they save nothing there, "
               "weights of 4 bits do (--type int4)");
  PlacementPlan plan = draft.finish({});
  plan.tables = find_tables(facts, draft);
  return plan;
}

}  // namespace detent
