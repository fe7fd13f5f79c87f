// Attention becomes one kernel, in INT8 where it is faster and data show that it costs little, or where
// `--policy attention` asks for it.
//
//   before:   Q --> MatMul --> Mul(1/sqrt(d)) --> Add(mask) --> Softmax --> MatMul --> Transpose --> MatMul
//             K -----^                                            V ----------^
//
//   after:    Q --> Mul(1/sqrt(d)) --> Q/DQ --> MatMul --> Add(mask) --> Softmax --> Q/DQ --> MatMul --> Q/DQ
//             K --> Transpose -------> Q/DQ -----^                       V --------> Q/DQ -----^
//
// place/engines/attention_kernels.h describes the kernels. `prepare` makes the form of other forms before placement
// (prepare/attention_form.h): it moves the scale to Q and takes Softmax and Einsum apart, and the operator Attention
// where pairs are asked for.
// known_ranges.cpp sets the scale 1/448.
//
// * Decides: attention is two products of activations with a Softmax between them. With `--policy attention=int8`
//   (`fp8` with `--type fp8`) pairs stand on both operands of both products and behind the second one, and nowhere
//   between. With `auto` a block of at least 64 tokens gets them in INT8 (TensorRT, not RTX) if the outputs lose at
//   most 1 dB by it on 16 samples, or have 30 dB with it; without data, and with `--accuracy fast`, it stays float. The
//   scale then multiplies Q, the Transpose of K stands in front of its pair, and the pair behind Softmax has the
//   measured upper limit (INT8) or scale 1/448 (FP8). A block that TensorRT makes no kernel of stays float, and `plan`
//   says why.
// * Recognized: the forms that both exporters of PyTorch, timm, Hugging Face and JAX write. They differ in scales in
//   front of or behind the first product, masks that are added or choose, casts and rotary positions. Keys may be
//   repeated for groups of queries or come from an encoder. Einsum, Softmax by its primitives, and the operator
//   Attention of opset 23 are known too. Before pairs are placed, all become MatMul, Softmax and MatMul.
// * Why: TensorRT runs such a block as one kernel:
//
//   | operands | head sizes | tokens | compute capability |
//   | --- | --- | --- | --- |
//   | FP16, BF16 | multiples of 8 from 16 to 256 | any | 7.5 |
//   | INT8 | 16, 32, 64 | 512 at most, queries and keys | 7.5 |
//   | FP8, from version 10 on | multiples of 8 from 16 to 256 | any; on Ada 3072 at most, with heads up to 64 | 8.9 |
//
//   The form counts without pairs, too: with the scale behind the scores SegFormer's attention is no fused kernel.
//   On an H200 (10.6) INT8 attention makes BERT 1.07, ViT-B 1.05 to 1.13 times as fast, and Swin-T with its windows of
//   49 tokens .93. With pairs on another block it runs three kernels, slower than the one of FP16. It may still decide
//   otherwise for speed. A block is another one if
//
//   - a third node reads scores or probabilities, or the result is an output;
//   - operands have other than 4 axes (`prepare` gives those of 3 a fourth if no mask stands between);
//   - a mask repeats the scores or has more axes than they have. In 16-bit floats a Reshape may part the batch around
//     it, so that each shifted window of Swin has another mask;
//   - a scale stands behind the mask, or has more than one number.
// * Change it: `--policy attention=auto|float|int8|fp8`.
// * Source: "Fused Attention" in the [TensorRT
//   docs](https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/transformers-fused-attention.html)
//   and [release notes of
//   10.6](https://docs.nvidia.com/deeplearning/tensorrt/latest/getting-started/release-notes-10/10.6.0.html) (FP8 on
//   Ada), [TensorRT 2981](https://github.com/NVIDIA/TensorRT/issues/2981) and
//   [4167](https://github.com/NVIDIA/TensorRT/issues/4167) (INT8),
//   [3714](https://github.com/NVIDIA/TensorRT/issues/3714) (three kernels); Model-Optimizer, pull request
//   [1289](https://github.com/NVIDIA/Model-Optimizer/pull/1289) (FP8). The default: ours, measured.

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>

#include "place/draft/attention_fit.h"
#include "place/draft/flow.h"
#include "place/engines/tensorrt/rules.h"

namespace detent::rules::tensorrt {
namespace {

using KeptAttention = std::map<std::string, std::string>;

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
      draft.pair(product, slot, fmt::format("operand of fused {} attention ({})", draft.codes(), option));
  if (all_readers_quantized(facts, draft, block.output)) return;
  for (const Use& use : facts.value(block.output).uses)
    draft.pair(use.node, use.slot,
               fmt::format("behind fused {} attention, which wants a pair on its result", draft.codes()));
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

/// True where INT8 was measured to be faster than 16-bit floats.
bool gains_by_codes(const PlacementDraft& draft, const AttentionBlock& block) {
  const PlacementOptions& options = draft.options();
  if (options.attention != PlacementOptions::Attention::Auto || options.type != CodeType::Int8) return false;
  const AttentionKernel* kernel = draft.facts().target().find_attention(AttentionKernel::Type::Int8);
  return kernel && kernel->fewest_tokens > 0 &&
         std::max(block.sizes.queries, block.sizes.keys) >= kernel->fewest_tokens;
}

/// Returns what the data showed about a block, by the name of its first product; empty where nothing was measured.
std::string measured_cost(const KeptAttention& measured, const GraphFacts& facts, const AttentionBlock& block) {
  const auto found = measured.find(facts.node(block.first).name);
  return found == measured.end() ? "" : found->second;
}

void decide_block(const GraphFacts& facts, PlacementDraft& draft, AttentionBlock block) {
  AttentionDecision decision{.block = std::move(block)};
  const AttentionBlock& found = decision.block;
  std::string option(attention_option(draft.options()));
  std::string misfit = attention_misfit(facts, found, attention_type(draft));
  const bool gains = gains_by_codes(draft, found);
  const std::string cheap = gains ? measured_cost(draft.measured().int8_attention, facts, found) : "";
  if (!cheap.empty()) option = cheap;
  // prepare_model() takes blocks apart only for pairs: without them the form alone counts.
  const bool asked = quantizes_attention(draft.options()) || !cheap.empty();
  if (misfit.empty() && (asked || gains)) {
    const std::string unpaired = attention_without_pairs(facts, draft, found);
    decision.may_be_int8 = gains && unpaired.empty() && !is_kept_out(draft, found);
    if (asked) misfit = unpaired;
  }
  if (is_kept_out(draft, found)) {
    decision.reason = "kept float by another rule";
    keep_operands_float(draft, found, "another node of this attention stays float by another rule");
  } else if (asked && misfit.empty()) {
    decision.runs = runs_on(draft.options().type);
    decision.reason = attention_kernel_text(facts, attention_type(draft)) + " (" + option + ")";
    decision.otherwise = "--policy attention=float: " + float_form(facts, found);
    pair_operands(facts, draft, found, option);
  } else {
    const bool fits = misfit.empty();
    decision.reason = float_form(facts, found);
    if (const std::string cost = measured_cost(draft.measured().float_attention, facts, found); !cost.empty())
      decision.reason += "; " + cost;
    decision.otherwise =
        option + ": " + (fits ? attention_kernel_text(facts, attention_type(draft)) : "float too, since " + misfit);
    keep_operands_float(draft, found,
                        fits ? "attention stays float (" + option + " quantizes it)"
                             : fmt::format("attention that no {} kernel fuses stays float: {}", draft.codes(), misfit));
  }
  keep_inside_float(draft, found);
  draft.attend(std::move(decision));
}

void decide_fused_attention(const GraphFacts& facts, PlacementDraft& draft) {
  for (AttentionBlock& block : attention_blocks(facts)) decide_block(facts, draft, std::move(block));
}

}  // namespace

constinit const Rule kFusedAttention{.name = {"R20", "fused attention"}, .decide = decide_fused_attention};

}  // namespace detent::rules::tensorrt
