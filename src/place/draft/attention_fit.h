#pragma once

#include <string>
#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// Returns the blocks of attention of the graph, with the sizes of one batch where they are given, else with
/// those that the graph fixes.
[[nodiscard]] std::vector<AttentionBlock> attention_blocks(const GraphFacts& facts);

/// Returns the kind of fused attention that the plan's type of codes needs.
[[nodiscard]] AttentionKernel::Type attention_type(const PlacementDraft& draft);

/// Returns why the engine has no fused kernel of this type for the block, as a clause; empty when it has one. Sizes
/// that are not known fit no list of sizes.
[[nodiscard]] std::string attention_misfit(const GraphFacts& facts, const AttentionBlock& block,
                                           AttentionKernel::Type type);

/// Returns "one INT8 kernel, from compute capability 7.5 on". The engine must have such a kernel.
[[nodiscard]] std::string attention_kernel_text(const GraphFacts& facts, AttentionKernel::Type type);

/// Returns why the block's operands and result cannot carry pairs, as a clause; empty when they can.
[[nodiscard]] std::string attention_without_pairs(const GraphFacts& facts, const PlacementDraft& draft,
                                                  const AttentionBlock& block);

}  // namespace detent
