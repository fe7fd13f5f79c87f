#pragma once

#include <string>
#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// True for a node that can be a node unit of the QNN execution provider: it computes with floats, and the user does
/// not keep it out. False for Cast and Shape, which need no pairs, for nodes that hold graphs (If, Loop, Scan), which
/// HTP does not run, for an LSTM, GRU or RNN with an obstacle, and for nodes of pairs.
[[nodiscard]] bool is_unit(const GraphFacts& facts, const PlacementDraft& draft, const Node& node);

/// Returns why HTP does not run this LSTM, GRU or RNN, as a predicate ("clips its gates"); empty if it does.
/// Source: onnxruntime, core/providers/qnn/builder/opbuilder/lstm_op_builder.cc; onnxruntime-qnn, gru_op_builder.cc.
[[nodiscard]] std::string recurrent_obstacle(const Graph& graph, const Node& node);

/// Returns what HTP does with the node whatever its pairs are, as a predicate ("has no kernel for Erf: ..."); empty
/// where it runs it. Sizes that are not known say nothing. Source: onnxruntime-qnn 2.7.0 with QAIRT 2.51, HTP compiler
/// and emulator on x86-64, asked in November 2026.
[[nodiscard]] std::string missing_kernel(const GraphFacts& facts, const Node& node);

/// True for an operator that HTP computes wrongly between pairs.
[[nodiscard]] bool is_wrong_on_htp(const Node& node);

/// True for Cast and Shape: they read a pair where the value has one.
[[nodiscard]] bool reads_beside_units(const GraphFacts& facts, NodeId node);

/// True for If, Loop, Scan and other nodes that hold graphs.
[[nodiscard]] bool holds_graphs(const Node& node);

/// True for operators whose output has the encoding of their data: copies, MaxPool and Resize.
[[nodiscard]] bool has_one_encoding(const PlacementDraft& draft, NodeId node);

/// Returns the slots of the constant factor and the constant bias of a norm, or of the constant slopes of a PRelu;
/// empty for other nodes and where the factor is computed. The bias is left out where there is none.
[[nodiscard]] std::vector<int> coded_constants(const GraphFacts& facts, const Node& node);

}  // namespace detent
