#pragma once

#include "model/graph_patch.h"
#include "place/engines/target.h"
#include "rewrite/promised_pairs.h"

namespace detent {

/// Has rows of tables gathered as codes, for an engine that does so in one step; each row is converted alone, with the
/// same bits:
///
///   before:  codes -> DequantizeLinear -> Gather        after:  codes -> Gather -> DequantizeLinear (axis -1)
///
/// A table is the constant of a DequantizeLinear with one scale or one a column, which Gathers along axis 0 alone read.
/// New values are called RESULT_quantized.
/// Empty   no such table, or another engine -> an empty patch.
/// Source  onnxruntime's matmul_nbits_quantizer does the same to Gather (GatherBlockQuantized).
[[nodiscard]] GraphPatch gather_codes(const Graph& graph, const Target& target);

/// Returns what the file promises after that patch.
void promise_gathered_codes(PromisedFile& promised, const GraphPatch& patch);

}  // namespace detent
