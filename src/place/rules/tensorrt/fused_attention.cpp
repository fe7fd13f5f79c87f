//   before:   Q --> MatMul --> Mul(1/sqrt(d)) --> Add(mask) --> Softmax --> MatMul --> Transpose --> MatMul
//             K -----^                                            V ----------^
//
//   after:    Q --> Mul(1/sqrt(d)) --> Q/DQ --> MatMul --> Add(mask) --> Softmax --> Q/DQ --> MatMul --> Q/DQ
//             K --> Transpose -------> Q/DQ -----^                       V --------> Q/DQ -----^
//
// TensorRT makes one kernel of a block of attention. In INT8 it does so only with pairs in front of the first product,
// behind Softmax and behind the second product, for some head sizes and numbers of tokens (place/targets). Other
// blocks with pairs become three kernels, slower than the one of FP16, and stay float. Before
// placement `prepare` moves the scale to Q and takes Softmax, Einsum and the operator Attention apart into the form
// above (prepare/attention_form.h); K's Transpose is in front of its pair anyway. FP8 has the scale 1/448 behind
// Softmax (known_ranges.cpp).
//
// Source: TensorRT developer guide, "Fused Attention"; github.com/NVIDIA/TensorRT/issues/2981, 3714 (three kernels) and
// 4167; Model-Optimizer, pull request 1289 (FP8). The default: ours, measured (bench/README.md).

#include "place/draft/attention_fit.h"
#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules::tensorrt {
namespace {

bool is_kept_out(const PlacementDraft& draft, const AttentionBlock& block) {
  return draft.is_out(block.first) || draft.is_out(block.softmax) || draft.is_out(block.second);
}

void keep_inside_float(PlacementDraft& draft, const AttentionBlock& block) {
  for (const auto* nodes : {&block.between, &block.softmax_nodes, &block.behind})
    for (const NodeId node : *nodes)
      for (const int slot : draft.facts().data_slots(node))
        draft.keep_float(node, slot, "inside attention, between the operands of its products");
}

void pair_operands(const GraphFacts& facts, PlacementDraft& draft, const AttentionBlock& block,
                   const std::string& option) {
  for (const NodeId product : {block.first, block.second})
    for (const int slot : facts.data_slots(product))
      draft.pair(product, slot, "operand of fused INT8 attention (" + option + ")");
  if (all_readers_quantized(facts, draft, block.output)) return;
  for (const Use& use : facts.value(block.output).uses)
    draft.pair(use.node, use.slot, "behind fused INT8 attention, which wants a pair on its result");
}

void keep_operands_float(PlacementDraft& draft, const AttentionBlock& block, const std::string& reason) {
  for (const NodeId product : {block.first, block.second})
    for (const int slot : draft.facts().data_slots(product)) draft.keep_float(product, slot, reason);
}

/// Returns the form of a block without pairs in TensorRT.
std::string float_form(const GraphFacts& facts, const AttentionBlock& block) {
  const std::string misfit = attention_misfit(facts, block, AttentionKernel::Type::Half);
  return misfit.empty() ? attention_kernel_text(facts, AttentionKernel::Type::Half) : "no fused kernel: " + misfit;
}

void decide_block(const GraphFacts& facts, PlacementDraft& draft, AttentionBlock block) {
  AttentionDecision decision{.block = std::move(block)};
  const AttentionBlock& found = decision.block;
  const std::string option(attention_option(draft.options()));
  std::string misfit = attention_misfit(facts, found, attention_type(draft));
  // prepare_model() takes blocks apart only for pairs: without them the form alone counts.
  const bool asked = quantizes_attention(draft.options());
  if (misfit.empty() && asked) misfit = attention_without_pairs(facts, draft, found);
  if (is_kept_out(draft, found)) {
    decision.reason = "kept float by another rule";
    keep_operands_float(draft, found, "another node of this attention stays float by another rule");
  } else if (asked && misfit.empty()) {
    decision.quantized = true;
    decision.reason = attention_kernel_text(facts, attention_type(draft)) + " (" + option + ")";
    decision.otherwise = "--attention float: " + float_form(facts, found);
    pair_operands(facts, draft, found, option);
  } else {
    const bool fits = misfit.empty();
    decision.reason = float_form(facts, found);
    decision.otherwise =
        option + ": " + (fits ? attention_kernel_text(facts, attention_type(draft)) : "float too, since " + misfit);
    keep_operands_float(draft, found,
                        fits ? "attention stays float (" + option + " quantizes it)"
                             : "attention that no INT8 kernel fuses stays float: " + misfit);
  }
  keep_inside_float(draft, found);
  draft.attend(std::move(decision));
}

void decide_fused_attention(const GraphFacts& facts, PlacementDraft& draft) {
  for (AttentionBlock& block : attention_blocks(facts)) decide_block(facts, draft, std::move(block));
}

}  // namespace

Rule fused_attention() { return {.id = RuleId::FusedAttention, .decide = decide_fused_attention}; }

}  // namespace detent::rules::tensorrt
