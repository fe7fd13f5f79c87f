#pragma once

#include "detent/explain.h"
#include "report/json/fields/parts.h"

namespace detent::json {

void fields(auto& v, const ExplainReport::Layer& r) {
  v("name", r.name, "Name of the layer.");
  v("type", filled(r.type), "Its type in the engine's words; null where the file has names only.");
  v("unit", filled(r.unit), "Unit of the chip that runs it: NPU or CPU; null for engines that name none.");
  v("nodes", r.nodes, "ONNX nodes in it, as far as the file names them.");
  v("inputs", r.inputs, "Type of each tensor that it reads: int8, fp16, fp32, fp8, bf16, other or unknown.");
  v("arithmetic", r.arithmetic, "Type in which it computes, in the same words.");
  v("output", r.output, "Type of its first output, in the same words.");
  v("kind", r.kind,
    "Whether it does the network's work, changes type or layout, is a quantizer by itself, moves elements, or costs "
    "nothing.",
    {"layer", "reformat", "quantize", "copy", "none"});
  v("block", r.block,
    "Whether it is a part of the network that is compiled as one: only its first and last node are named.");
  v("ms", r.ms, "Mean time of one run, in milliseconds, or its estimate; null without one.");
  v("bytes", r.bytes, "Bytes that it reads and writes; null where types or sizes are not known.");
  v("share", Finite{r.share}, "Share of the time, or of the layers that cost time, in [0, 1].");
  v("finding", filled(r.finding),
    "Kind of the cause: no_int8_kernel, float_shortcut, float_reader, float_operator, pair_in_front_of_add, constant, "
    "type_change, layout_change, concat_copy, movement, network_border, names_only, block, no_pair_around or on_cpu; "
    "null without one.");
  v("cause", r.cause, "Why it stands there, or writes floats; empty where that is not known or nothing is wrong.");
  v("cure", r.cure, "What helps, with the command; may be empty.");
  v("predicted", filled(r.predicted),
    "Prediction: int8 or float for weighted layers, quantize or folded for quantizers; null without one.");
  v("right", when(!r.predicted.empty(), r.right), "Whether the prediction is right; null without one.");
  v("predicted_output", filled(r.predicted_output),
    "Prediction for an INT8 layer: int8 if it writes codes, else float; null without one.");
}

void fields(auto& v, const ExplainReport::Advice& r) {
  v("finding", r.finding, "Kind of the causes, as in layers; no_pairs: no layer reads a pair.");
  v("text", r.text, "Why the engine is slow.");
  v("cure", r.cure, "What to do, for all of its layers; may be empty.");
  v("layers", r.layers, "Number of layers that cost time for it.");
  v("share", Finite{r.share}, "Their share of the time, or of the layers, in [0, 1].");
  v("bytes", r.bytes, "Bytes that they read and write; null where some are not known.");
}

void fields(auto& v, const ExplainReport::Summary& r) {
  v.part("engine_summary", "Shares of time with a profile, of layers without, in [0, 1]; they add to 1.");
  v("int8_share", Finite{r.int8}, "Layers of the network that compute in INT8.");
  v("fp16_share", Finite{r.fp16}, "Layers of the network that compute in FP16.");
  v("fp32_share", Finite{r.fp32}, "Layers of the network that compute in FP32.");
  v("other_share", Finite{r.other}, "Layers of the network that compute in another or an unknown type.");
  v("reformat_share", Finite{r.reformat}, "Reformats, quantizers by themselves and copies.");
  v("unexplained_share", Finite{r.unexplained}, "Part of these shares whose cause or type is not known.");
  v("reformats", r.reformats, "Number of reformats.");
  v("standalone_quantize", r.standalone_quantize, "Number of quantizers and dequantizers by themselves.");
  v("copies", r.copies, "Number of copies.");
  v("total_ms", r.total_ms, "Sum of the layers' times, which is more than the engine needs; null without a profile.");
  v("estimated", r.estimated, "Whether times are estimates: cycles that a compiler names, at 1 GHz.");
}

/// The engine of a report.
struct ExplainedEngine {
  const ExplainReport& report = kEmptyReport<ExplainReport>;
};

void fields(auto& v, const ExplainedEngine& r) {
  v("file", r.report.file, "Path of its layers, as given.");
  v("form", r.report.form,
    "What the file is: TensorRT's layers in one of four forms, ONNX Runtime's profile, or the log of Rockchip's "
    "compiler.",
    {"detailed", "names", "dumps", "log", "onnxruntime", "rknn"});
  v("layers", r.report.layers.size(), "Number of its layers.");
}

void fields(auto& v, const ExplainReport::Predictions::Fusion& r) {
  v("node", r.node, "Name of the Add, activation or MaxPool.");
  v("conv", r.conv, "Name of the Conv in front of it.");
  v("fused", r.fused, "Whether they are predicted to be one layer.");
  v("right", r.right, "Whether the prediction is right.");
}

void fields(auto& v, const ExplainReport::Predictions::ReformatPlace& r) {
  v("node", r.node, "Name of the float node.");
  v("reason", r.reason, kReason);
  v("reformats", r.reformats, "Number of reformats that the engine has there.");
}

void fields(auto& v, const ExplainReport::Predictions::Copy& r) {
  v("concat", r.concat, "Name of the Concat.");
  v("value", r.value, "Name of its input.");
  v("reason", r.reason, kReason);
  v("right", r.right, "Whether the engine has the copy.");
}

void fields(auto& v, const ExplainReport::Predictions& r) {
  v("layers", r.layers, "Number of weighted layers that were predicted and found.");
  v("right", r.right, "Number of right predictions.");
  v("missing", r.missing, "Weighted nodes of the model that no layer names.");
  v("outputs", r.outputs, "Number of INT8 layers that were predicted to write codes or floats, and found.");
  v("outputs_right", r.outputs_right, "Number of right predictions of these.");
  v("quantizers", r.quantizers, "Number of quantizers that were predicted to be layers by themselves.");
  v("quantizers_right", r.quantizers_right, "Number of these that are.");
  v("folded", r.folded, "Those that are not.");
  v("fusions", r.fusions,
    "Nodes behind a Conv that are predicted to be in its layer, or not, as far as layers name them.");
  v("reformat_places", r.reformat_places, "Places where a reformat may stand.");
  v("reformats_elsewhere", r.reformats_elsewhere, "Number of the engine's reformats that stand at none of them.");
  v("copies", r.copies, "Inputs of Concats that are predicted to be copied.");
}

void fields(auto& v, const ExplainReport::Difference& r) {
  v("nodes", r.nodes, "ONNX nodes of the layers, in alphabetical order.");
  v("layer", r.layer, "Name of the layer; empty where the engine has none.");
  v("other", r.other, "Names of the other engine's layers; empty without one.");
  v("computes", r.computes, "Types of arithmetic and output, as in int8 -> fp16.");
  v("other_computes", r.other_computes, "Those of the other engine.");
  v("ms", r.ms, "Time in milliseconds; null without a profile.");
  v("other_ms", r.other_ms, "That of the other engine.");
}

void fields(auto& v, const ExplainReport::Against& r) {
  v("file", r.file, "Path of the other engine's layers, as given.");
  v("layers", r.layers, "Number of its layers.");
  v("same", r.same, "Number of layers with the same nodes and types in both.");
  v("summary", r.summary, "Its summary.");
  v("differences", r.differences, "The layers that differ, in the first engine's order.");
}

void fields(auto& v, const ExplainReport& r) {
  v.document("explain", "Report of detent explain");
  v("engine", ExplainedEngine{r}, "The engine.");
  v("model", filled(r.model), "Path of the ONNX file, as given; null without one.");
  v("summary", r.summary, "Its layers in sum.");
  v("advice", r.advice, "Why it is slow and what to do, the dearest reason first.");
  v("layers", r.layers, "Its layers, in the engine's order.");
  v("predictions", r.predictions, "Predictions for the model's weighted layers; null without a model.");
  v("against", r.against, "Comparison with another engine; null without one.");
  v("notes", r.notes, kNotes);
}

}  // namespace detent::json
