#pragma once

#include "place/draft/draft.h"

namespace detent {

/// True when everything that reads the node's outputs, directly or not, only moves, decodes or selects numbers up to
/// the graph outputs (no --policy quantize-outputs=on) or up to the sampling places of a GridSample or DeformConv: no
/// weighted layer, no product of two activations, no subgraph, no node that the user includes. Codes would win nothing
/// there, and boxes in pixels would share a scale with scores.
[[nodiscard]] bool is_decoding(const PlacementDraft& draft, NodeId node);

/// True for a node whose outputs reach the end of the network through activations, Softmax and copies alone.
[[nodiscard]] bool is_head(const PlacementDraft& draft, NodeId node);

/// True for a layer that takes the expected value of a Softmax, also behind copies: a Conv, Gemm or MatMul with one
/// output channel, as boxes of distributions have.
/// Source  Li et al. 2020, Generalized Focal Loss, arXiv 2006.04388.
[[nodiscard]] bool takes_expected_value(const GraphFacts& facts, const PlacementDraft& draft, const Node& node);

}  // namespace detent
