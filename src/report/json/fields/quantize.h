#pragma once

#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "report/json/fields/parts.h"
#include "report/quantities.h"

namespace detent::json {

void fields(auto& v, const QuantizeReport::QuantizedValue& r) {
  v("name", r.name, "Name of the value.");
  v.optional("amax", when(r.symmetric, r.max), "Largest magnitude that the codes reach, where the range is symmetric.");
  v.optional("min", when(!r.symmetric, r.min), "Lower end of the range, where it is not symmetric.");
  v.optional("max", when(!r.symmetric, r.max), "Upper end of the range, where it is not symmetric.");
  v.either({"amax"}, {"min", "max"});
  v("scale", r.scale, "Scale of the codes.");
  v("zero_point", r.zero_point, "Zero point of the codes.");
  v("group", r.group, "Number of the group of values that share the scale; null where none does.");
}

void fields(auto& v, const AccuracyReport::Step& r) {
  v("name", r.name, "What was tried.", {"equalization", "ranges", "uint8 weights", "weights", "biases"});
  v("changed", r.changed, "How much of it changed, in words.");
  change_fields(v, r);
}

void fields(auto& v, const AccuracyReport& r) {
  v("level", r.level, "The level that was asked for.", {"fast", "balanced", "best"});
  v("steps", r.steps, "The steps of level best, in the order they were tried.");
}

/// A candidate of auto.
struct Candidate {
  const CalibratorMeasurement::Candidate& measured = kEmptyReport<CalibratorMeasurement::Candidate>;
  bool winner = false;
};

void fields(auto& v, const Candidate& r) {
  v("calibrator", r.measured.calibrator, "The candidate.");
  v("score_db", r.measured.score_db,
    "Half the mean of the samples' SQNRs and half the SQNR of their mean noise, in dB; null where no sample shows a "
    "difference.");
  v("regret_db", r.measured.regret_db,
    "How far its worst value lies below the best that any candidate does for that value, in dB.");
  v("metrics", MeasuredError{r.measured.error},
    "Its error against the float model, with the samples that it was measured on.");
  v("winner", r.winner, "Whether it was taken.");
}

void fields(auto& v, const CalibratorMeasurement& r) {
  std::vector<Candidate> candidates;
  for (const auto& candidate : r.candidates) candidates.push_back(Candidate{candidate, candidates.size() == r.winner});
  v("samples", r.samples, "Samples of the candidates that were measured on most.");
  v("seconds", Finite{r.seconds}, "Time that it took, in seconds.");
  v("reason", choice_text(r), "Why the winner was taken, in words.");
  v("candidates", candidates, "Every candidate that was measured.");
}

void fields(auto& v, const BiasCorrectionReport& r) {
  v("layers", r.layers, "Layers whose biases were corrected.");
  change_fields(v, r);
}

void fields(auto& v, const SaturationReport& r) {
  v("cpu", r.cpu == Cpu::Any ? "any" : "vnni", "The CPUs that the file was written for: any, or those with VNNI.",
    {"any", "vnni"});
  v("layers", r.layers, "Layers whose products such CPUs add in pairs.");
  v("channels", r.channels, "Weight scales of these layers.");
  v("raised_channels", r.raised, "Scales that were raised so that no pair of weights can saturate.");
  v("mean_factor", r.mean_factor, "By how much scales were multiplied, the mean over all channels.");
  v("unsafe_pairs", r.unsafe_pairs, "Pairs of weights that can saturate.");
  v("unsafe_layers", r.unsafe_layers, "Layers that have such a pair.");
  v("error", measured_error(r.error),
    "Error of the written model on such CPUs; null where nothing can saturate or it was not measured.");
}

/// Members that quantize and quantize-weights have in common.
void bound_and_error_fields(auto& v, const auto& r) {
  v.optional("bound", r.bound, "How the bound was kept; absent where none was given.");
  v("error", measured_error(r.error, r.error_source),
    "Error of the written model against the float model; null where it was not measured.");
}

void fields(auto& v, const QuantizeReport& r) {
  v.document("quantize", "Report of detent quantize");
  v("model", r.model, "Path of the model, as it was given.");
  v("output", r.output, "Path of the file that was written.");
  v("target", r.target, "Engine and version that was planned for, as in tensorrt:10.13.");
  v("calibrator", r.calibrator, "Calibrator that gave the ranges; of auto the one that it took.");
  v("samples", r.samples, "Calibration samples.");
  v("skipped_samples", r.skipped_samples, "Samples that were left out because they cannot be read.");
  v("values", r.values, "Every quantized value with its range.");
  v("coverage", r.plan.coverage, "How much of the model runs in INT8 or FP8.");
  v("accuracy", r.accuracy, "What was done for the accuracy of the written model beyond the choice of a calibrator.");
  v.optional("auto", r.measured,
             "The measurement by which auto chose a calibrator; absent where another was asked for and where nothing "
             "is quantized.");
  v.optional("equalize", r.equalized, "Equalization of the model; absent where it was not asked for.");
  v.optional("bias_correction", r.bias_correction,
             "The correction of biases by the mean error that quantization leaves; absent where it was not asked for.");
  bound_and_error_fields(v, r);
  v("saturation", r.saturation,
    "Integer products on x86 CPUs without VNNI, which saturate sums of two products at 16 bits; null where no product "
    "of the target can.");
  outlier_fields(v, r.outliers);
  v("float_layers",
    seen_where<FloatLayer<PlanReport::Layer>>(r.plan.layers, [](const auto& layer) { return !layer.int8; }),
    "The layers that stay float.");
  v("float_types", r.floats, "What of the rest became 16-bit floats; null where it stays as it was.");
  v("notes", r.notes, "What else there is to know, in sentences.");
  verdict_fields(v, r.verdict);
  v("provenance", r.provenance, "What the written file says of itself.");
  v("seconds", Finite{r.seconds}, "Time that the command took, in seconds.");
  v("calibration_seconds", Finite{r.calibration_seconds}, "Time of the calibration pass, in seconds.");
  v("peak_mb", Finite{r.peak_mb}, "Largest memory of the program so far, in megabytes of 10^6 bytes.");
}

void fields(auto& v, const QuantizeWeightsReport::Layer& r) {
  v("name", r.name, "Name of the node.");
  v("op", r.op, "Its operator.");
  v("quantized", r.quantized, "Whether its weight is codes.");
  v("reason", r.reason, "The reason in words.");
  v("elements", r.elements, "Elements of its weight.");
  v("weight_sqnr_db", when(r.quantized, r.sqnr_db),
    "SQNR of the weight behind its codes against the float one, in dB; null where it stays float or is equal.");
}

void fields(auto& v, const QuantizeWeightsReport::Table& r) {
  v("name", r.name, "Name of the constant.");
  v("op", r.op, "Operator of its first reader.");
  v("quantized", r.quantized, "Whether it is codes.");
  v("reason", r.reason, "The reason in words.");
  v("elements", r.elements, "Its elements.");
  v("bytes", when(r.quantized, r.bytes), "Bytes of codes and scales in the file; null where it stays float.");
  v(metrics::kSqnr.name, when(r.quantized, r.sqnr_db),
    "SQNR of the table behind its codes against the float one, in dB; null where it stays float or is equal.");
}

void fields(auto& v, const QuantizeWeightsReport::Rounding& r) {
  v("layers", r.layers, "Layers whose codes are others than the nearest ones.");
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
  v("rearranged", r.report.rearranged, "Weights that were transposed into the form that engines take.");
  v("rounding", r.report.rounding, "Codes chosen by what the layers read; null without data.");
  v("layers", r.report.layers, "Every weighted operator, in execution order.");
  v("tables", r.report.tables, "Embedding tables, positions and masks, in the order of their first readers.");
}

void fields(auto& v, const QuantizeWeightsReport& r) {
  v.document("quantize-weights", "Report of detent quantize --weight-only");
  v("model", r.model, "Path of the model, as it was given.");
  v("output", r.output, "Path of the file that was written.");
  v("target", r.target, "Engine and version that was planned for, as in tensorrt:10.13.");
  v("calibrator", nullptr, "Always null: no activation is quantized.");
  v("samples", r.rounding ? r.rounding->samples : 0,
    "Samples that the codes were chosen by; 0 where they are the nearest ones.");
  v("values", NoList{}, "Always empty: no activation is quantized.");
  v("weight_only", QuantizedWeights{r}, "The quantized weights.");
  bound_and_error_fields(v, r);
  v("float_layers",
    seen_where<FloatLayer<QuantizeWeightsReport::Layer>>(r.layers, [](const auto& layer) { return !layer.quantized; }),
    "The layers that stay float.");
  v("notes", r.notes, "What else there is to know, in sentences.");
  verdict_fields(v, r.verdict);
  v("provenance", r.provenance, "What the written file says of itself.");
  v("bytes_before", r.model_bytes, "Size of the float model in bytes, with external data.");
  v("bytes_after", r.output_bytes, "Size of the written model in bytes, with external data.");
  v("seconds", Finite{r.seconds}, "Time that the command took, in seconds.");
  v("peak_mb", Finite{r.peak_mb}, "Largest memory of the program so far, in megabytes of 10^6 bytes.");
}

}  // namespace detent::json
