#include "place/weights_plan.h"

#include "core/float_type.h"
#include "place/draft/draft.h"
#include "place/rules/rules.h"
#include "place/tables.h"

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
  if (facts.target().engine == Engine::TensorRT && blocks.block > 0 && shape[0] % blocks.block != 0)
    return "its " + std::to_string(shape[0]) + " rows are not a multiple of the block of " +
           std::to_string(blocks.block) + ", as TensorRT needs";
  return {};
}

}  // namespace

PlacementPlan make_weights_plan(const Graph& graph, const Target& target, const PlacementOptions& options,
                                const WeightBlocks& blocks, const MeasuredFacts& measured) {
  const GraphFacts facts(graph, target);
  PlacementDraft draft(facts, options, measured);
  draft.begin_rule(RuleId::UserChoice);
  rules::user_choice().mark(facts, draft);
  draft.begin_rule(RuleId::MeasuredChoice);
  rules::measured_choice().mark(facts, draft);
  draft.begin_rule(RuleId::WeightsAlone);
  for (const Node& node : graph.nodes()) {
    if (!facts.is_weighted(node.id) || draft.is_out(node.id)) continue;
    const std::string against = obstacle(facts, node, blocks);
    if (against.empty()) draft.quantize_weight(node.id);
    draft.run_float(node.id,
                    against.empty() ? "only the weight is stored as integers; the layer computes in float" : against);
  }
  PlacementPlan plan = draft.finish({});
  plan.tables = find_tables(facts, draft);
  return plan;
}

}  // namespace detent
