#pragma once

#include <string>

#include "place/draft/draft.h"

namespace detent {

// Questions and steps that ONNX Runtime's rules share. In this target a pair belongs to a value: all its readers read
// the DQ, and a float reader beside the pair makes the producer a float kernel.

/// The node is kept out by the user and has to read floats: where its inputs and its output all carried pairs, ONNX
/// Runtime would make it an integer kernel all the same. False for one whose output nobody quantizes (a head): it reads
/// pairs.
[[nodiscard]] bool must_read_float(const PlacementDraft& draft, NodeId node);

/// All outputs of the node reach the end of the network through nodes that only pass floats on (Softmax, activations,
/// copies). Then nothing behind it is worth a pair that its own kernel does not need.
[[nodiscard]] bool ends_in_float(const PlacementDraft& draft, NodeId node);

/// Why the value cannot carry a pair that all its readers read (a graph output without --quantize-outputs, a reader in
/// a subgraph, by copies in front of it too, or one that must read floats); empty when it can.
[[nodiscard]] std::string obstacle_to_closing(const PlacementDraft& draft, ValueId value);

/// Puts a pair on the value for every reader, the graph output included. False, and nothing done, where that cannot be.
bool close_with_pair(PlacementDraft& draft, ValueId value, const std::string& reason);

/// Which activations an integer kernel of ONNX Runtime absorbs: Relu, or also Clip with a lower bound of 0.
enum class Absorbs : uint8_t { Relu, ReluAndClip };

/// The value behind the activation that an integer kernel writing `value` absorbs, if it is the only reader; `value`
/// itself otherwise.
[[nodiscard]] ValueId absorbed_output(const PlacementDraft& draft, ValueId value, Absorbs absorbs);

/// Returns true for operators without weights that become integer kernels where pairs stand on every input and behind,
/// and behind which the engine looks for an activation. It moves pairs across copies instead.
[[nodiscard]] bool has_integer_kernel(OpKind kind);

}  // namespace detent
