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
//   odd number of rows stays float.
//
//   With 8 bits, for ONNX Runtime and OpenVINO, the weight of a Conv or ConvTranspose of 1024 numbers or more becomes
//   INT8 codes with a scale an output channel, of the least squared error. A Gemm may then have alpha and
//   transA.
//
//   A file may have pairs already: they stay, and so does a layer whose data come out of a pair. Its weights have one
//   scale a channel if its opset is below that of blocks.
//
//   Other constants of 1024 numbers or more, in four rows or more, become INT8 codes:
//
//   - Embeddings (read by Gather) and positions (added) get a scale a column, if at most one number in 16 becomes 0. An
//     embedding stays float if a product reads its rows directly: engines would take that for INT8 activations.
//   - Other constants of Add, Sub, Mul and Where (masks) get one scale, if it gives back every number.
//
//   For ONNX Runtime the DequantizeLinear of an embedding stands behind the Gather, with axis -1. For TensorRT it
//   stands behind the constant, because TensorRT takes scales per channel on constants alone. An embedding that is a
//   product's weight, too, transposed, takes its rows of the product's codes of 8 bits and is not stored.
// * Why: large language models are limited by memory bandwidth. ONNX Runtime makes one MatMulNBits of the two nodes if
//   the DequantizeLinear has one reader; all 25 products of a small GPT, 9 of a ViT and 14 of a BERT were fused.
// * Change it: `--type int4|int8`, `--block`, `--include`, `--exclude`, `--max-drop`, `--min-sqnr` (R13). `--policy
//   exclude-op=Gather` leaves embeddings float, `--exclude` of any reader the constant that it reads.
// * Source: `quantize` stores weights of float layers (R23) and embeddings (R22) alike. ONNX
//   DequantizeLinear-21; TensorRT guide, "Quantized types"; ONNX Runtime 1.30, `DQMatMulNodeGroupSelector`, tried.

#include "place/weights_plan.h"

#include <algorithm>
#include <map>
#include <span>

#include "core/float_type.h"
#include "core/text.h"
#include "place/draft/draft.h"
#include "place/draft/tables.h"
#include "place/plan/least_codes.h"
#include "place/rules/rules.h"

namespace detent {

namespace {

/// True where rules of `quantize` store the weights of float layers, too (R23): tried with these engines. TensorRT ends
/// with "could not fuse 2nd input (kernel weights)" at a convolution whose weights alone are codes.
bool reads_channels(const Target& target) {
  const std::span<const Rule* const> rules = *target.engine.rules;
  return std::ranges::find(rules, &rules::kFloatWeights) != rules.end();
}

/// True when what the weight multiplies comes out of a pair, perhaps across nodes that pairs move across. With codes as
/// a weight too, engines would compute in INT8.
bool reads_pair(const GraphFacts& facts, const Node& node) {
  MaybeValue data = node.input(facts.weight_slot(node.id) == 0 ? 1 : 0);
  while (const Node* before = facts.producer(data)) {
    if (facts.kind(before->id) == OpKind::DequantizeLinear) return true;
    if (!facts.lets_pairs_move(before->id)) return false;
    data = before->input(0);
  }
  return false;
}

/// Returns why a weight that is no matrix of a product stays float; empty when its channels can have codes.
std::string channel_obstacle(const GraphFacts& facts, const Node& node, const WeightBlocks& blocks) {
  if (!reads_channels(facts.target()))
    return std::string(facts.target().engine.title) +
           " takes integer weights with float activations in MatMul and Gemm only";
  if (blocks.bits == 4) return "4 bits are too few for one scale a channel; --type int8 makes codes of it";
  if (facts.weight_axis(node) < 0) return "no axis of the weight counts channels";
  if (facts.weight(node.id).element_count() < kLeastCodes)
    return "the weight has less than " + std::to_string(kLeastCodes) + " numbers";
  return {};
}

/// Returns why the weight of a product stays float; empty when it can be quantized.
std::string product_obstacle(const GraphFacts& facts, const Node& node, const WeightBlocks& blocks) {
  if (facts.weight_slot(node.id) != 1) return "the weight is the left operand, which engines take in float only";
  const Shape& shape = facts.weight(node.id).shape();
  if (shape.rank() != 2) return "the weight of rank " + std::to_string(shape.rank()) + " is not a matrix";
  if (shape.element_count() == 0) return "the weight is empty";
  const bool fuses = blocks.bits == 4 || !reads_channels(facts.target());
  if (facts.kind(node.id) == OpKind::Gemm && fuses) {
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

/// Returns why the weight of a layer stays float; empty when it can be quantized.
std::string obstacle(const GraphFacts& facts, const Node& node, const WeightBlocks& blocks) {
  const DataType type = facts.weight(node.id).type();
  if (type != DataType::Float32 && !is_half(type))
    return "no scale has the type of the weight, " + std::string(name_of(type));
  if (reads_pair(facts, node)) return "its data come out of a pair: with codes as weight it would compute in INT8";
  const bool product = facts.kind(node.id) == OpKind::MatMul || facts.kind(node.id) == OpKind::Gemm;
  return product ? product_obstacle(facts, node, blocks) : channel_obstacle(facts, node, blocks);
}

/// Decides about the weight of each layer that no earlier rule keeps out.
void store_weights(const GraphFacts& facts, const WeightBlocks& blocks, PlacementDraft& draft) {
  std::map<ValueId, int> axes;  // of codes: a constant has them once
  size_t channels = 0;
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || draft.is_out(node.id)) continue;
    std::string against = obstacle(facts, node, blocks);
    if (against.empty()) {
      const int axis = facts.weight_axis(node);
      if (axes.emplace(*node.input(facts.weight_slot(node.id)), axis).first->second != axis)
        against = "another layer has codes of the weight with scales along another axis";
    }
    if (against.empty()) {
      draft.quantize_weight(node.id);
      channels += facts.weight(node.id).shape().rank() != 2;
    }
    draft.run_float(node.id,
                    against.empty() ? "only the weight is stored as integers; the layer computes in float" : against);
  }
  if (channels > 0 && blocks.block > 0)
    draft.note(plural(channels, "weight of a convolution has", "weights of convolutions have") +
               " one scale a channel, not one a block");
}

/// True when the model has pairs already.
bool has_pairs(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) { return node.op_type == "QuantizeLinear"; });
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
  store_weights(facts, blocks, draft);
  if (blocks.bits == 8 && !target.engine.int8_weights_alone)
    draft.note(std::string(target.engine.title) +
               " turns weights of 8 bits into 16-bit floats when the layer computes in float: they save nothing there, "
               "weights of 4 bits do (--type int4)");
  PlacementPlan plan = draft.finish({});
  plan.tables = find_tables(facts, draft);
  // Codes of a constant beside data with pairs could make its reader an INT8 one.
  if (has_pairs(graph)) std::erase_if(plan.tables, [](const TableDecision& table) { return !table.gathered; });
  return plan;
}

}  // namespace detent
