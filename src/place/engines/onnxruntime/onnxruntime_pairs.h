#pragma once

#include <string>

#include "place/draft/draft.h"

namespace detent {

// Questions and steps that ONNX Runtime's rules share. In this target a pair belongs to a value: all its readers read
// the DQ, and a float reader next to the pair makes the producer a float kernel.

/// True for a node that the user excludes and that must read floats: if its inputs and its output all carried pairs,
/// ONNX Runtime would make it an integer kernel anyway. False for one whose output is not quantized (a head): it reads
/// pairs.
[[nodiscard]] bool must_read_float(const PlacementDraft& draft, NodeId node);

/// Returns why the value cannot carry a pair that all its readers read (a graph output without --policy
/// quantize-outputs=on, a reader in a subgraph, also behind copies, or one that must read floats); empty when it can.
[[nodiscard]] std::string obstacle_to_closing(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value);

/// Puts a pair on the value for every reader, including the graph output. Returns false and does nothing when that is
/// impossible.
bool close_with_pair(PlacementDraft& draft, MaybeValue value, const std::string& reason);

/// The activations that an integer kernel of ONNX Runtime absorbs: Relu, or also Clip with a lower bound of 0.
enum class Absorbs : uint8_t { Relu, ReluAndClip };

/// Returns the value behind the activation that an integer kernel writing `value` absorbs, if it is the only reader;
/// `value` otherwise.
[[nodiscard]] MaybeValue absorbed_output(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value,
                                         Absorbs absorbs);

/// True for operators without weights that become integer kernels when pairs stand on every input and behind, and
/// behind which the engine looks for an activation. The engine moves pairs across copies instead.
[[nodiscard]] bool has_integer_kernel(OpKind kind);

/// Returns why an LSTM, GRU or RNN has no INT8 weights, in a clause; empty where it may have them (O14).
[[nodiscard]] std::string recurrent_obstacle(const GraphFacts& facts, const PlacementDraft& draft, const Node& node);

}  // namespace detent
