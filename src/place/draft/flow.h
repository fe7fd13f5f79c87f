#pragma once

#include <optional>
#include <vector>

#include "place/draft/draft.h"
#include "place/draft/written_activation.h"

namespace detent {

/// Returns the only reading of a value; nullopt when there are none or several, when it is a graph output or read in a
/// subgraph.
[[nodiscard]] std::optional<Use> sole_use(const Graph& graph, MaybeValue value);

/// True when a pair may move across the node unchanged: MaxPool, Reshape, Transpose, Pad with 0 ...; not Concat, and
/// not a node that the user keeps out.
[[nodiscard]] bool commutes(const GraphFacts& facts, const PlacementDraft& draft, NodeId node);
/// True for a Concat of floating-point data that the user does not keep out: it commutes if the scales are equal.
[[nodiscard]] bool is_data_concat(const GraphFacts& facts, const PlacementDraft& draft, NodeId node);

/// True for Add, Sub, Mul or Div of a varying value and a constant: part of the kernel before it.
[[nodiscard]] bool is_constant_affine(const GraphFacts& facts, NodeId node);
/// Returns the varying input of such a node.
[[nodiscard]] MaybeValue varying_input(const GraphFacts& facts, NodeId node);

/// Returns the Conv whose kernel includes the BatchNormalization `norm`, which alone reads its output; kNoNode for
/// other nodes. Preparing folds such a norm, except in files with pairs: there a DequantizeLinear writes the weight.
[[nodiscard]] MaybeNode layer_of_norm(const GraphFacts& facts, NodeId norm);
/// Returns the value behind that BatchNormalization when it stands behind `value`; otherwise `value`.
[[nodiscard]] MaybeValue behind_norm(const GraphFacts& facts, MaybeValue value);

/// Returns the activation that an engine can run in the kernel of the layer that writes `value`, behind a
/// BatchNormalization of that layer too: the only reader, or the last node of a gated_activation() that holds all
/// readers. kNoNode when there is none.
[[nodiscard]] MaybeNode fused_activation(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value);
/// True for an activation that TensorRT fuses behind a weighted op (R2).
[[nodiscard]] bool is_fusable_activation(OpKind kind);
/// True for an op that the kernel before it computes element by element: an activation, constant Add or Mul.
[[nodiscard]] bool is_fused_pointwise(const GraphFacts& facts, const PlacementDraft& draft, NodeId node);
/// Returns the value behind the layer's BatchNormalization and fused activation; the layer's output without them.
[[nodiscard]] MaybeValue fused_output(const GraphFacts& facts, const PlacementDraft& draft, NodeId layer);

/// Decides both inputs of a MatMul of two activations by `--policy attention`, for every engine.
void place_activation_product(PlacementDraft& draft, const Node& product);

/// Returns the values with a pair that a value reaches through commuting ops and Concats, including itself.
[[nodiscard]] std::vector<ValueId> pairs_behind(const PlacementDraft& draft, MaybeValue value);
/// Returns for each value whether pairs_behind() finds some; valid until a pair is added or removed.
[[nodiscard]] ValueMap<bool> values_before_pairs(const PlacementDraft& draft);
/// Returns the floats with the same numbers behind `use`: outputs of a Concat or a commuting op; none behind other ops.
[[nodiscard]] std::vector<ValueId> values_behind(const GraphFacts& facts, const PlacementDraft& draft, const Use& use);
/// Returns the values that a value reaches through commuting ops (not Concats), up and down, including itself.
[[nodiscard]] std::vector<ValueId> commuting_neighbours(const GraphFacts& facts, const PlacementDraft& draft,
                                                        ValueId value);
/// True when every reader edge of the value is quantized, or belongs to an op that commutes or is fused (activations,
/// constant Add and Mul) and passes the value on to quantized edges only.
[[nodiscard]] bool all_readers_quantized(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value);

/// Returns for each value whether an INT8 kernel writes it (a weighted op in INT8 with its activation, a residual Add,
/// an op whose inputs carry pairs), also behind commuting ops.
[[nodiscard]] ValueMap<bool> int8_sources(const PlacementDraft& draft);

/// Sets the entries of int8_sources() for the outputs of `node`, once those of its inputs are set. A rule that decides
/// node by node in execution order extends the list instead of computing it anew for every node.
void add_int8_sources(const PlacementDraft& draft, const Node& node, ValueMap<bool>& sources);

}  // namespace detent
