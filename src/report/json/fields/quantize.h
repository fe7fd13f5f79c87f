#pragma once

#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "report/json/fields/changes.h"
#include "report/json/fields/early_end.h"
#include "report/json/fields/latency.h"
#include "report/json/fields/parts.h"
#include "report/quantities.h"

namespace detent::json {

void fields(auto& v, const QuantizeReport::QuantizedValue& r) {
  v("name", r.name, "Name of the value.");
  v.optional("amax", when(r.symmetric, r.max), "Largest magnitude of the codes, for a symmetric range.");
  v.optional("min", when(!r.symmetric, r.min), "Lower end of a range that is not symmetric.");
  v.optional("max", when(!r.symmetric, r.max), "Upper end of a range that is not symmetric.");
  v.either({"amax"}, {"min", "max"});
  v("type", std::string(name_of(r.type)), "Type of the codes.", {"int8", "uint8", "int16", "uint16", "float8e4m3fn"});
  v("scale", r.scale, "Scale of the codes.");
  v("zero_point", r.zero_point, "Zero point of the codes.");
  v("group", r.group, "Number of the group of values that share the scale; null without a group.");
}

void fields(auto& v, const AccuracyReport::Step& r) {
  v("name", r.name, "The step.", {"equalization", "ranges", "uint8 weights", "weights", "biases"});
  v("changed", r.changed, "What it changed, in words.");
  change_fields(v, r);
}

void fields(auto& v, const AccuracyReport& r) {
  v("level", r.level, "The requested level.", {"fast", "balanced", "best"});
  v("steps", r.steps, "The steps of level best, in the order they were tried.");
}

/// A candidate of "auto".
struct Candidate {
  const CalibratorMeasurement::Candidate& measured = kEmptyReport<CalibratorMeasurement::Candidate>;
  bool winner = false;
};

void fields(auto& v, const Candidate& r) {
  v("calibrator", r.measured.calibrator, "The candidate.");
  v("score_db", r.measured.score_db,
    "Mean of the average SQNR of the samples and of the SQNR of their average noise, in dB; null where no sample "
    "differs.");
  v("regret_db", r.measured.regret_db,
    "Largest distance over all values from the best candidate's SQNR of that value, in dB.");
  v("metrics", MeasuredError{r.measured.error}, "Its error against the float model, on its samples.");
  v("winner", r.winner, "Whether it was taken.");
}

void fields(auto& v, const CalibratorMeasurement& r) {
  std::vector<Candidate> candidates;
  for (const auto& candidate : r.candidates) candidates.push_back(Candidate{candidate, candidates.size() == r.winner});
  v("samples", r.samples, "Number of samples of the candidates that were measured on most.");
  v("seconds", Finite{r.seconds}, "Time of the measurement, in seconds.");
  v("reason", choice_text(r), "Why the winner was taken, in words.");
  v("candidates", candidates, "Every candidate that was measured.");
}

void fields(auto& v, const BiasCorrectionReport& r) {
  v("layers", r.layers, "Number of layers whose biases were corrected.");
  change_fields(v, r);
}

void fields(auto& v, const SaturationReport& r) {
  v("cpu", r.cpu == Cpu::Any ? "any" : "vnni", "The x86 CPUs that the file was written for: any, or those with VNNI.",
    {"any", "vnni"});
  v("layers", r.layers, "Layers whose products CPUs without VNNI add in pairs.");
  v("channels", r.channels, "Weight scales of these layers.");
  v("raised_channels", r.raised, "Scales that were raised so that no pair of weights can saturate.");
  v("mean_factor", r.mean_factor, "Mean factor of all scales.");
  v("unsafe_pairs", r.unsafe_pairs, "Pairs of weights that can saturate.");
  v("unsafe_layers", r.unsafe_layers, "Layers with such a pair.");
  v("error", measured_error(r.error),
    "Error of the written model on CPUs without VNNI; null where nothing can saturate or it was not measured.");
}

/// Writes the members that start the documents of quantize and quantize-weights.
void written_fields(auto& v, const auto& r) {
  v("model", r.model, kModelPath);
  v("output", r.output, kWrittenPath);
  v("target", r.target, "Engine and version of the placement, as in tensorrt:10.13.");
}

/// Writes the bound and the error of both.
void bound_and_error_fields(auto& v, const auto& r) {
  v.optional("bound", r.bound, "Result of the bound; absent without one.");
  v.optional("score", r.score, "Score of the written and of the float model; absent without a bound and a task.");
  v("error", measured_error(r.error, r.error_source),
    "Error of the written model against the float model; null where it was not measured.");
}

void fields(auto& v, const DlaFiles& r) {
  v("cache", r.cache, "Path of the calibration cache.");
  v("arguments", r.arguments, "Path of the arguments for trtexec.");
  v("scales", r.scales, "Number of scales in the cache, one for each float value.");
  v("int8_layers", r.int8_layers, "Layers that DLA runs in INT8.");
  v("fp16_layers", r.fp16_layers, "Layers that DLA runs in FP16.");
  v("gpu_layers", r.gpu_layers, "Layers that DLA cannot run, which go to the GPU.");
}

void fields(auto& v, const PipelineFileReport& r) {
  v("name", r.name, "Name of the file in the pipeline, in front of its values and nodes.");
  v("model", r.model, kModelPath);
  v("output", r.output, kWrittenPath);
  v("opset", r.opset, "Opset of the float model.");
  v("written_opset", r.written_opset, "Opset of the written file.");
  v("bytes_before", r.model_bytes, "Size of the float model in bytes, with external data.");
  v("bytes_after", r.output_bytes, "Size of the written file in bytes, with external data.");
  v("layers", r.layers, "Number of its weighted operators.");
  v("int8_layers", r.int8_layers, "Number of those that are quantized.");
  v("error", measured_error(r.error),
    "Error at the end of the pipeline with this file alone quantized; null where it was not measured.");
  v("verdict", r.quality ? std::optional<std::string>(name_of(*r.quality)) : std::nullopt,
    "Verdict on that error; null where it was not measured.", {"good", "doubtful", "broken", "unknown"});
}

void fields(auto& v, const QuantizeReport& r) {
  v.document("quantize", "Report of detent quantize");
  written_fields(v, r);
  v.optional("files", when(!r.files.empty(), r.files), "Each file of a pipeline, by name; absent for one model.");
  v("calibrator", r.calibrator, "Calibrator of the ranges; for auto the one that it took.");
  v("samples", r.samples, "Number of calibration samples.");
  v.optional("steps", when(r.steps > 0, r.steps), "Steps of each sample; absent where samples are whole.");
  v("skipped_samples", r.skipped_samples, kSkippedSamples);
  v("values", r.values, "Every quantized value with its range.");
  v("coverage", r.plan.coverage, "Share of the model that runs in INT8, FP8 or A16W8.");
  v("accuracy", r.accuracy, "Steps for the accuracy of the written model after the choice of a calibrator.");
  v.optional("auto", r.measured,
             "Measurement by which auto chose a calibrator; absent for another calibrator and where nothing is "
             "quantized.");
  v.optional("equalize", r.equalized, "Equalization of the model; absent if not requested.");
  v.optional("bias_correction", r.bias_correction,
             "Correction of biases by the mean quantization error; absent if not requested.");
  bound_and_error_fields(v, r);
  v("outputs", r.outputs, kJudgedOutputs);
  v("saturation", r.saturation,
    "Saturation on x86 CPUs without VNNI, which add two products in 16 bits; null where no product of the target "
    "saturates.");
  v.optional("latency", r.latency, "Search for the fastest file within the accuracy; absent if not requested.");
  outlier_fields(v, r.outliers);
  v("layers", r.plan.layers, "The weighted operators, in execution order.");
  v("float_layers",
    seen_where<FloatLayer<PlanReport::Layer>>(r.plan.layers, [](const auto& layer) { return !layer.runs_on_codes(); }),
    "The layers that stay float.");
  v("wide_nodes", r.plan.wide_nodes, "Nodes with 16-bit activations beside nodes of 8 bits, in execution order.");
  v("attention", r.plan.attention, "Blocks of attention and what the engine makes of them, in execution order.");
  v("float_types", r.floats, kFloatTypes);
  v.optional("dla", r.dla, "The files beside the float model for DLA; absent for a target that takes pairs.");
  v("notes", r.notes, kNotes);
  verdict_fields(v, r.verdict);
  v("provenance", r.provenance, "Provenance in the written file.");
  early_end_fields(v, r.ended);
  v.optional("input_check", r.input_check,
             "Look at the float model on the data; absent where the data are no pictures.");
  v("seconds", Finite{r.seconds}, kCommandSeconds);
  v("calibration_seconds", Finite{r.calibration_seconds}, "Time of the calibration pass, in seconds.");
  v("peak_mb", Finite{r.peak_mb}, "Largest memory of the program so far, in megabytes of 10^6 bytes.");
}

void fields(auto& v, const QuantizeTargetsReport& r) {
  v.document("quantize-targets", "Report of detent quantize for several targets");
  v("model", r.model, kModelPath);
  v("targets", r.targets, "The document of each target, in the requested order; the first one's time has the pass.");
  v("seconds", Finite{r.seconds}, kCommandSeconds);
  v("peak_mb", Finite{r.peak_mb}, "Largest memory of the program so far, in megabytes of 10^6 bytes.");
}

void fields(auto& v, const QuantizeWeightsReport::Layer& r) {
  node_fields(v, r);
  v("quantized", r.quantized, "Whether its weight is quantized.");
  v("reason", r.reason, kReason);
  v("elements", r.elements, "Elements of its weight.");
  v("weight_sqnr_db", when(r.quantized, r.sqnr_db),
    "SQNR of the quantized weight against the float one, in dB; null where it stays float or is equal.");
}

void fields(auto& v, const QuantizeWeightsReport::Table& r) {
  v("name", r.name, "Name of the constant.");
  v("op", r.op, "Operator of its first reader.");
  v("quantized", r.quantized, "Whether it is quantized.");
  v("reason", r.reason, kReason);
  v("elements", r.elements, "Number of its elements.");
  v("bytes", when(r.quantized, r.bytes),
    "Bytes of codes and scales in the file; null where it stays float, 0 where the codes of a product serve it.");
  v(metrics::kSqnr.name, when(r.quantized, r.sqnr_db),
    "SQNR of the quantized table against the float one, in dB; null where it stays float or is equal.");
}

void fields(auto& v, const QuantizeWeightsReport::Rounding& r) {
  v("layers", r.layers, "Number of layers whose codes differ from the nearest ones.");
  change_fields(v, r);
}

/// The weights of a QuantizeWeightsReport.
struct QuantizedWeights {
  const QuantizeWeightsReport& report = kEmptyReport<QuantizeWeightsReport>;
};

void fields(auto& v, const QuantizedWeights& r) {
  v("codes", name_of(r.report.format.codes), "Type of the codes.", {"int4", "int8"});
  v("block", WeightBlock{r.report.format.block}, "Weights under one scale.");
  v("weight_bytes", r.report.weight_bytes, "Bytes of the quantized weights in the file, codes and scales.");
  v("rearranged", r.report.rearranged, "Number of weights that were transposed into the layout of the engines.");
  v("rounding", r.report.rounding, "Codes chosen by the layers' inputs (GPTQ); null without data.");
  v("layers", r.report.layers, "Every weighted operator, in execution order.");
  v("tables", r.report.tables, "Embedding tables, positions and masks, in the order of their first readers.");
}

void fields(auto& v, const QuantizeWeightsReport& r) {
  v.document("quantize-weights", "Report of detent quantize-weights");
  written_fields(v, r);
  v("calibrator", nullptr, "Always null: no activation is quantized.");
  v("samples", r.rounding ? r.rounding->samples : 0,
    "Number of samples that chose the codes; 0 where they are the nearest ones.");
  v("values", NoList{}, "Always empty: no activation is quantized.");
  v("weight_only", QuantizedWeights{r}, "The quantized weights.");
  bound_and_error_fields(v, r);
  v("float_layers",
    seen_where<FloatLayer<QuantizeWeightsReport::Layer>>(r.layers, [](const auto& layer) { return !layer.quantized; }),
    "The layers that stay float.");
  v("notes", r.notes, kNotes);
  verdict_fields(v, r.verdict);
  v("provenance", r.provenance, "Provenance in the written file.");
  v("bytes_before", r.model_bytes, "Size of the float model in bytes, with external data.");
  v("bytes_after", r.output_bytes, "Size of the written model in bytes, with external data.");
  v("seconds", Finite{r.seconds}, kCommandSeconds);
  v("peak_mb", Finite{r.peak_mb}, "Largest memory of the program so far, in megabytes of 10^6 bytes.");
}

}  // namespace detent::json
