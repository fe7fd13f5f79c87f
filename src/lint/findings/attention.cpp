// Attention with pairs that TensorRT does not run as one kernel (R20).

#include <algorithm>

#include "lint/findings/findings.h"
#include "place/draft/attention_fit.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

/// Calls `report` with every block of which at least one operand has a pair.
void for_each_paired_block(const LintView& view, const auto& report) {
  if (view.target().attention_kernels->empty()) return;
  for (const AttentionBlock& block : attention_blocks(view.facts())) {
    if (block.is_operator()) continue;
    int paired = 0;
    for (const NodeId product : {block.first, block.second})
      for (const int slot : {0, 1}) paired += static_cast<int>(view.is_quantized(product, slot));
    if (paired > 0) report(block, paired);
  }
}

std::string without_one_kernel(const LintView& view, const AttentionBlock& block, int paired) {
  constexpr int kOperands = 4;
  if (std::string text = attention_misfit(view.facts(), block, attention_type(view.found())); !text.empty())
    return text;
  if (paired < kOperands) return std::to_string(paired) + " of the 4 operands of its products have pairs";
  if (block.has_written_softmax()) return "its Softmax consists of primitives";
  return all_readers_quantized(view.facts(), view.found(), block.output) ? "" : "no pair follows its second product";
}

}  // namespace

void attention_not_fused(const LintView& view, FindingLog& log) {
  for_each_paired_block(view, [&](const AttentionBlock& block, int paired) {
    const std::string reason = without_one_kernel(view, block, paired);
    if (reason.empty()) return;
    log.add(view.node(block.first).name,
            "attention with pairs runs as three kernels, slower than one of 16-bit floats: " + reason,
            "pairs in front of both products, on both operands, and behind the second; or none of them", {});
  });
}

void attention_order(const LintView& view, FindingLog& log) {
  for_each_paired_block(view, [&](const AttentionBlock& block, int paired) {
    if (!without_one_kernel(view, block, paired).empty()) return;
    const bool turned = !view.operand(block.first, 1);
    if (block.scales.empty() && !turned) return;
    log.add(view.node(block.first).name,
            block.scales.empty() ? "the Transpose of attention's keys stands behind their pair"
                                 : view.facts().describe(block.scales.front()) +
                                       " scales the scores of attention; TensorRT wants the queries scaled",
            block.scales.empty() ? "move the Transpose in front of the pair, so that the product reads the pair"
                                 : "multiply the queries in front of their pair",
            {});
  });
}

}  // namespace detent::findings
