#pragma once

#include <string>

#include "model/graph/graph.h"

namespace detent {

/// True for operators that compute with codes: QLinear*, ...Integer, DynamicQuantizeLinear and similar ones.
/// Source  ONNX Operators.md, ORT ContribOperators.md.
[[nodiscard]] bool is_qoperator(const Node& node);

/// Names the operators of a graph that compute with codes: "integer operators (2 QLinearConv, 1 QLinearAdd)". Without
/// any: "".
[[nodiscard]] std::string integer_operators_text(const Graph& graph);

/// The cure for a file of them.
inline constexpr const char* kIntegerOperatorsCure =
    "quantize the float model with Q/DQ pairs (in onnxruntime.quantization: quant_format=QDQ)";

/// Refuses a file that holds such operators: "FILE holds integer operators (2 QLinearConv), but WANTS".
/// wants   a clause: "cast keeps the codes of pairs alone"
/// Errors  InvalidModel.
void refuse_integer_operators(const Graph& graph, const std::string& file, const std::string& wants);

/// True when the graph holds QuantizeLinear, DequantizeLinear or an operator that computes with codes.
[[nodiscard]] bool is_quantized(const Graph& graph);

/// Returns the first node whose graphs (bodies of If, Loop and Scan), at any depth, are quantized; nullptr without one.
[[nodiscard]] const Node* find_quantized_body(const Graph& graph);

}  // namespace detent
