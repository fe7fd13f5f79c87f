#pragma once

#include <optional>
#include <vector>

#include "ops/self_gated.h"
#include "place/draft/draft.h"

namespace detent {

/// The only reading of a value; nullopt when there are none or several, when it is a graph output or read in a
/// subgraph.
[[nodiscard]] std::optional<Use> sole_use(const Graph& graph, ValueId value);

/// A pair may move across the node unchanged: MaxPool, Reshape, Transpose, Pad with 0 ...; not Concat
/// (concat_commutes), and not a node that the user keeps out.
[[nodiscard]] bool commutes(const PlacementDraft& draft, NodeId node);
/// A Concat of floating-point data that the user does not keep out: it commutes if the scales are equal.
[[nodiscard]] bool is_data_concat(const PlacementDraft& draft, NodeId node);

/// Add, Sub, Mul or Div of a varying value and a constant: part of the kernel that it stands behind.
[[nodiscard]] bool is_constant_affine(const PlacementDraft& draft, NodeId node);
/// The input of such a node that varies.
[[nodiscard]] ValueId varying_input(const PlacementDraft& draft, NodeId node);

/// The activation of several nodes that ends in the node `product`, where nothing else reads its gate; nullopt when
/// there is none.
[[nodiscard]] std::optional<SelfGatedActivation> gated_activation(const PlacementDraft& draft, NodeId product);

/// The activation that an engine can run in the same kernel as the producer of `value`: its only reader (both readers,
/// where the activation is a SelfGatedActivation: then its product). kNoNode when there is none.
[[nodiscard]] NodeId fused_activation(const PlacementDraft& draft, ValueId value);
/// `kind` is an activation that TensorRT fuses behind a weighted op (R2).
[[nodiscard]] bool is_fusable_activation(OpKind kind);
/// The value behind the layer's fused activation; the layer's own output when there is none.
[[nodiscard]] ValueId fused_output(const PlacementDraft& draft, NodeId layer);

/// Decides both inputs of a MatMul of two activations by `--attention`: the same for every engine.
void place_activation_product(PlacementDraft& draft, const Node& product);

/// Values with a pair that a value reaches through commuting ops and Concats, itself included.
[[nodiscard]] std::vector<ValueId> pairs_behind(const PlacementDraft& draft, ValueId value);
/// Per value: pairs_behind() finds some. For questions about every node, while no pair is added or taken.
[[nodiscard]] ValueMap<bool> values_before_pairs(const PlacementDraft& draft);
/// The floats that are the same numbers behind `use`: what a Concat or a commuting op writes; none behind other ops.
[[nodiscard]] std::vector<ValueId> values_behind(const PlacementDraft& draft, const Use& use);
/// Values that a value reaches through commuting ops (not Concats), up and down, itself included.
[[nodiscard]] std::vector<ValueId> commuting_neighbours(const PlacementDraft& draft, ValueId value);
/// Every reader edge of the value is quantized, or belongs to an op that commutes or is fused (activations, constant
/// Add and Mul) and passes the value on to quantized edges only.
[[nodiscard]] bool all_readers_quantized(const PlacementDraft& draft, ValueId value);

/// Per value: an INT8 kernel computes it (a weighted op in INT8 with its activation, a residual Add, an op whose inputs
/// carry pairs), or it is such a value behind commuting ops.
[[nodiscard]] ValueMap<bool> int8_sources(const PlacementDraft& draft);

/// The entries of int8_sources() for what `node` writes, once those of its inputs are there: a rule that decides node
/// by node in execution order keeps the list as it goes, instead of making it anew for every node.
void add_int8_sources(const PlacementDraft& draft, const Node& node, ValueMap<bool>& sources);

}  // namespace detent
