#pragma once

#include "detent/compare.h"
#include "detent/sensitivity.h"
#include "report/compared_types.h"
#include "report/json/fields/changes.h"
#include "report/json/fields/early_end.h"
#include "report/json/fields/latency.h"
#include "report/json/fields/parts.h"

namespace detent::json {

void scored_fields(auto& v, const ComparedVariant& r) {
  v("metrics", Scores{r.metrics}, "Its scores on the evaluation samples.");
  v("score_error", r.score_error,
    "Standard error of the criterion over the samples, in its unit; null for --metric-command and fewer than two "
    "samples.");
  v("outputs", r.outputs, "Each compared output, in the model's order.");
  v("by_sample", r.by_sample, kBySample);
  v("size_bytes", r.size_bytes, "Size in bytes of the file that quantize or cast would write.");
  v("seconds", Finite{r.seconds}, "Time to make, run and judge it on all cores, in seconds.");
  v.optional("latency", r.latency, "Its time in an engine; absent without a latency command.");
}

void fields(auto& v, const CalibratorVariant& r) {
  v("calibrator", r.name, "The calibrator.");
  v.optional("takes", filled(r.takes), "The calibrator that auto chose; absent for the others.");
  scored_fields(v, r);
}

/// The model cast to a 16-bit float type.
struct FloatVariant {
  const ComparedVariant& variant = kEmptyReport<ComparedVariant>;
};

void fields(auto& v, const FloatVariant& r) {
  v("float_type", r.variant.name, "The type as --float-type takes it.");
  scored_fields(v, r.variant);
}

/// A type beside the sizes of the float model.
struct SizedType {
  const TypeVariant& variant = kEmptyReport<TypeVariant>;
  const CompareTypesReport& report = kEmptyReport<CompareTypesReport>;
};

void fields(auto& v, const SizedType& r) {
  const TypeFacts& facts = r.variant.facts;
  const auto ratio = [](uint64_t part, uint64_t whole) { return when(whole > 0, ratio_of(part, whole)); };
  std::map<std::string, Finite> shares;
  for (const auto& [type, bytes] : facts.weight_bytes) shares[type] = {weight_share(facts, type)};
  v("type", r.variant.name, "The type as --types takes it.");
  scored_fields(v, r.variant);
  v("calibrator", filled(r.variant.calibrator), "Calibrator that gave the ranges; null for weights alone.");
  v("layers", facts.layers, "Weighted operators.");
  v("quantized_layers", facts.quantized_layers, "Those that run on (weights alone: read) codes of the type.");
  v("pairs", facts.pairs, "Pairs on activations; 0 for weights alone.");
  v.optional("block", facts.block ? std::optional(WeightBlock{*facts.block}) : std::nullopt,
             "Weights under one scale; only for weights alone.");
  v("rounding", facts.by_inputs ? "inputs" : "nearest",
    "Rounding of the weights: by the layers' inputs (GPTQ), or to the nearest code.", {"inputs", "nearest"});
  v("size_ratio", ratio(r.variant.size_bytes, r.report.model_bytes), "Size of the file over that of the float model.");
  v("weight_bytes", weight_bytes(facts), "Bytes of the weights in the file.");
  v("weight_ratio", ratio(weight_bytes(facts), r.report.weight_bytes),
    "Bytes of the weights over those of the float model.");
  v("weight_shares", shares, "Share of the weights' bytes by type, in [0, 1].");
}

/// Sizes of the float model, and the losses of the types.
struct TypesOf {
  const CompareTypesReport& report = kEmptyReport<CompareTypesReport>;
};

void fields(auto& v, const TypesOf& r) {
  const TypeLimit& limit = r.report.limit ? *r.report.limit : kEmptyReport<TypeLimit>;
  std::vector<std::pair<std::string, double>> losses;
  for (size_t i = 0; i < limit.losses.size(); ++i) losses.emplace_back(r.report.variants[i].name, limit.losses[i]);
  v("fp32_size_bytes", r.report.model_bytes, "Size of the float model in bytes.");
  v("fp32_weight_bytes", r.report.weight_bytes, "Bytes of its float constants.");
  v("limit", filled(limit.option), "The option that limits the loss of a type, with its value; null without a limit.");
  v("limit_given", limit.given, "Whether the user gave it.");
  v("metric", filled(limit.metric), "Metric of the limit; null without a limit.");
  v("losses", losses,
    "Loss of that metric against the float model by type; for nats the rise, for sqnr_db its value in dB.");
  v("smallest", filled(limit.smallest), "Type with the smallest file within the limit; null where there is none.");
}

void fields(auto& v, const TargetVariant& r) {
  v("name", r.name, "Its name in this document: the target, and the calibrator where there are several.");
  v("target", r.target, "Engine and version of the placement, as in tensorrt:10.13.");
  v("calibrator", r.calibrator, "Calibrator that gave the ranges; for auto the one that it took.");
  scored_fields(v, r);
  v("coverage", r.plan.coverage, "Share of the model that runs in INT8, FP8 or A16W8.");
  v("float_layers",
    seen_where<FloatLayer<PlanReport::Layer>>(r.plan.layers, [](const auto& layer) { return !layer.runs_on_codes(); }),
    "The layers that stay float.");
  v("float_types", r.plan.floats, kFloatTypes);
  v("equalize", r.equalized, "Equalization of the model for this target; null if not requested.");
}

/// Writes the members of a comparison's samples and float models.
void compared_samples_fields(auto& v, const ComparisonReport& r) {
  v("calibration_samples", r.calibration_samples, "Number of calibration samples.");
  v("evaluation_samples", r.evaluation_samples, "Number of evaluation samples.");
  v.optional("steps", when(r.steps > 0, r.steps),
             "Steps of each sample, which every model takes with its own states; absent where samples are whole.");
  v("outputs", r.outputs, kJudgedOutputs);
  v.optional("labels", filled(r.labels), kLabels);
  v("evaluation_digest", r.evaluation_digest, "Digest of the evaluation samples' names and contents, in any order.");
  v("skipped_samples", r.skipped_samples, kSkippedSamples);
  outlier_fields(v, r.outliers);
  v("fp32", Scores{r.fp32}, "Scores of the float model; empty without a task.");
  v.optional("latency_command", filled(r.latency_command), "Command that times the models; absent without one.");
  v.optional("float_latency", r.float_latency, "Time of the float model; absent without a latency command.");
  v("baselines", seen_as<FloatVariant>(r.baselines),
    "The model cast to 16-bit floats without pairs, where nodes that are not quantized compute in 16 bits; not "
    "candidates.");
}

/// Writes the head of a comparison for one target.
void comparison_head_fields(auto& v, const auto& r) {
  model_and_target_fields(v, r);
  v("equalize", r.equalized, "Equalization of the model, the same for all variants; null if not requested.");
  compared_samples_fields(v, r);
}

void winner_fields(auto& v, const ComparisonReport& r, const char* winner) {
  std::vector<std::string> deciding;
  for (const Metric& metric : kMetrics)
    if (metric.use == MetricUse::Decides) deciding.emplace_back(metric.name);
  v("winner", r.winner, winner);
  v("ties", r.ties, "Candidates that score the same as the winner within the noise of the samples.");
  v("criterion", r.criterion, "The metric that decided.", deciding);
}

void comparison_seconds_fields(auto& v, const ComparisonReport& r) {
  early_end_fields(v, r.ended);
  v("calibration_seconds", Finite{r.calibration_seconds}, "Time of the calibration pass, in seconds.");
  v("evaluation_seconds", Finite{r.evaluation_seconds}, "Time to judge, in seconds.");
}

void fields(auto& v, const CompareCalibratorsReport& r) {
  v.document("compare", "Report of detent compare");
  comparison_head_fields(v, r);
  v("variants", r.variants, "The calibrators, in the requested order.");
  winner_fields(v, r, "Calibrator of the best variant.");
  v("provenance", r.provenance, "Provenance in the file of the best variant.");
  v("coverage", r.plan.coverage, "How much of the model runs in INT8 or FP8, the same for all variants.");
  v("float_types", r.plan.floats, kFloatTypes);
  comparison_seconds_fields(v, r);
}

void fields(auto& v, const CompareTypesReport& r) {
  v.document("compare-types", "Report of detent compare-types");
  comparison_head_fields(v, r);
  v("variants", seen_as<SizedType>(r.variants, r), "The types, in the requested order.");
  winner_fields(v, r, "Type of the best variant.");
  v("types", TypesOf{r}, "Sizes and losses of the types.");
  v("provenance", r.provenance, "Provenance in the file of the best variant.");
  v("float_types", nullptr, "Always null: it differs by type.");
  comparison_seconds_fields(v, r);
}

void fields(auto& v, const CompareTargetsReport& r) {
  v.document("compare-targets", "Report of detent compare --targets");
  v("model", r.model, kModelPath);
  v("targets", r.targets, "The targets, in the requested order.");
  compared_samples_fields(v, r);
  v("variants", r.variants, "Each target with each calibrator, in the requested order.");
  winner_fields(v, r, "Name of the best variant.");
  v("provenance", r.provenance, "Provenance in the file of the best variant.");
  comparison_seconds_fields(v, r);
}

/// Cost of one node. The share is that of the weights where only weights are quantized.
struct MeasuredNode {
  const SensitivityReport::Layer& layer = kEmptyReport<SensitivityReport::Layer>;
  bool weights = false;
};

void fields(auto& v, const MeasuredNode& r) {
  v.part("measured_node", "Cost of one node.");
  node_fields(v, r.layer);
  v("sqnr_db_alone", r.layer.sqnr_db_alone,
    "SQNR of the worst output when only this is quantized, in dB; null where the outputs are equal.");
  v("sqnr_db_all_but", r.layer.sqnr_db_all_but,
    "SQNR of the worst output when all except this are quantized, in dB; null where the outputs are equal.");
  v.optional("mac_share", when(!r.weights, r.layer.macs_share),
             "Share of the model's multiply-accumulates, in [0, 1]; 0 for operators without weights.");
  v.optional("weight_share", when(r.weights, r.layer.macs_share),
             "Share of the elements of the model's weights, in [0, 1], instead of mac_share for weights alone.");
  v.either({"mac_share"}, {"weight_share"});
  v("output", r.layer.output,
    "Name of the worst output when only this is quantized; empty where no output has an SQNR.");
  v.optional("nats_alone", r.layer.nats_alone,
             "Cross entropy per token when only this is quantized, in nats; with --next-token.");
  v.optional("nats_all_but", r.layer.nats_all_but,
             "Cross entropy per token when all except this are quantized, in nats; with --next-token.");
  v.optional("wer_alone", r.layer.wer_alone,
             "Word error rate when only this is quantized, as a fraction; with --transcripts.");
  v.optional("wer_all_but", r.layer.wer_all_but,
             "Word error rate when all except this are quantized, as a fraction; with --transcripts.");
  v.optional("detection_agreement_alone", r.layer.agreement_alone,
             "Agreement of detections with those of FP32 when only this is quantized, in [0, 1]; of a detector.");
  v.optional(
      "detection_agreement_all_but", r.layer.agreement_all_but,
      "Agreement of detections with those of FP32 when all except this are quantized, in [0, 1]; of a detector.");
}

void fields(auto& v, const LocalError& r) {
  v("name", r.value, "Name of the value.");
  v(metrics::kSqnr.name, r.sqnr_db, "SQNR of the value after its pair, in dB.");
}

void fields(auto& v, const SensitivityReport& r) {
  const bool weights = r.weights.has_value();
  v.document("sensitivity", "Report of detent sensitivity");
  model_and_target_fields(v, r);
  v("calibrator", when(!weights, r.calibrator), "Calibrator of the ranges; null for weights alone.");
  v("weight_only", r.weights, "Format of the weights; null where activations are quantized too.");
  v("equalize", r.equalized, "Equalization of the model; null if not requested.");
  v("calibration_samples", r.calibration_samples, "Number of calibration samples.");
  v("evaluation_samples", r.evaluation_samples, "Number of evaluation samples.");
  v.optional("steps", when(r.steps > 0, r.steps),
             "Steps of each sample, which every model takes with its own states; absent where samples are whole.");
  v("calibration_digest", r.calibration_digest,
    "Digest of the calibration samples' names and contents, in any order; empty without such samples.");
  v("evaluation_digest", r.evaluation_digest, "Digest of the evaluation samples' names and contents, in any order.");
  v("skipped_samples", r.skipped_samples, kSkippedSamples);
  v("others_keep", r.wide ? "int16" : "float",
    "What a layer has while all others are quantized: float, or int16 activations for an engine without floats.",
    {"float", "int16"});
  v("sqnr_db_all", r.sqnr_db_all, "SQNR of the worst output with every layer quantized, in dB.");
  v("fp32", Scores{r.fp32}, "Scores of the float model; empty without --next-token, --transcripts and a detector.");
  v("all", Scores{r.all},
    "Scores with every layer quantized; empty without --next-token, --transcripts and a detector.");
  v("outputs", r.outputs, "Each output, with every layer quantized.");
  v("layers", seen_as<MeasuredNode>(r.layers, weights), "The layers, worst first.");
  v("operators", seen_as<MeasuredNode>(r.operators, weights),
    "The operators without weights that have their own pairs, worst first.");
  v("values", r.values, "The quantized values, worst first.");
  v("variants", r.variants, "Number of quantized models that were measured.");
  v("plain_runs", r.plain_runs, "Their cost, in runs of the float model over the same samples.");
  early_end_fields(v, r.ended);
  v("seconds", Finite{r.seconds}, kCommandSeconds);
}

}  // namespace detent::json
