#pragma once

#include <set>
#include <string>

#include "place/draft/draft.h"

// Answers of OpenVINO 2026.4.1's CPU plugin about nodes and pairs.
namespace detent {

/// Returns what the engine does with this layer whatever its pairs are, as a predicate ("runs a ConvTranspose with
/// groups in float"); empty where pairs make it INT8.
[[nodiscard]] std::string openvino_kernel_obstacle(const GraphFacts& facts, const Node& layer);

/// True for ReduceMax, ReduceMin and GlobalMaxPool. The engine puts a quantizer behind one of them into its kernel,
/// which then computes other numbers.
[[nodiscard]] bool takes_extremes(const Node& node);

/// True for a node that moves numbers and takes floats only: the layer behind it reads no codes through it.
[[nodiscard]] bool copies_floats(const Node& node);

/// True for a Conv with a 1x1 kernel and strides whose data, behind the pair, only such Convs with the same strides
/// read. The engine moves their strides in front of the DequantizeLinear, by a MaxPool that takes the pair away from
/// them.
[[nodiscard]] bool loses_pair_to_strides(const PlacementDraft& draft, const Node& layer);

/// True for a Pad of zeros that the engine does not merge into the only node that reads it, a Conv. The layer behind it
/// then reads no codes with a zero point through it.
[[nodiscard]] bool pads_floats(const GraphFacts& facts, const Node& node);

/// True for a Gather that exchanges channels in an order that is not its own inverse. The engine merges it into the
/// weights of the Conv behind it, in the inverse order, unless a pair stands between.
[[nodiscard]] bool exchanges_channels(const GraphFacts& facts, const Node& node);

/// True when the engine can compute a pair behind the node in the node's kernel: only copies and operators that work
/// element by element stand between, and nothing else reads a value on the way.
[[nodiscard]] bool ends_in_pair(const PlacementDraft& draft, const Node& node);

/// True for an average whose windows count zeros that the node, or a Pad in front of it, adds around the data. Between
/// codes with a zero point the engine adds codes of 0, which stand for another number.
[[nodiscard]] bool averages_added_zeros(const GraphFacts& facts, const Node& node);

/// True for a value that its operators keep from going below 0.
[[nodiscard]] bool stays_above_zero(const GraphFacts& facts, MaybeValue value);

/// Returns the Concat that puts together what the layer reads in this slot, possibly behind Transposes, activations and
/// other nodes that keep its axes, on another axis than the one that the layer sums over; kNoNode without one. The
/// engine then gives zero points an axis that a Conv does not take, and with which a product does not compile.
[[nodiscard]] MaybeNode concat_of_rows(const GraphFacts& facts, const Node& layer, int slot);

/// Returns Concats of values that go below 0, and the nodes between each of them and a layer that sums over the joined
/// axis, where a Slice or Split takes a part of it, or a Transpose moves axis 0 or 1 of values joined on another axis
/// than 1. The engine moves a pair up to the Concat, gives zero points an axis there, and runs the layer in float
/// unless the pair stands at the layer.
[[nodiscard]] std::set<NodeId> nodes_that_lose_codes(const GraphFacts& facts);

/// Returns the Concat, on whatever axis, that such nodes and copies lead to from the slot; kNoNode without one.
[[nodiscard]] MaybeNode concat_in_front(const GraphFacts& facts, const Node& layer, int slot);

}  // namespace detent
