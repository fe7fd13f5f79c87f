#pragma once

#include "detent/compare.h"
#include "detent/sensitivity.h"
#include "report/compared_types.h"
#include "report/json/fields/parts.h"

namespace detent::json {

using Variant = ComparisonReport::Variant;

void variant_fields(auto& v, const Variant& r) {
  v("metrics", Scores{r.metrics}, "Its scores over the evaluation samples.");
  v("score_error", r.score_error,
    "Standard error of the criterion over the samples, in its unit; null for --metric-command and fewer than two "
    "samples.");
  v("outputs", r.outputs, "Each compared output, in the model's order.");
  v("size_bytes", r.size_bytes, "Size of the file that quantize or cast would write, in bytes.");
  v("seconds", Finite{r.seconds}, "Time to make, run and judge it, all cores together, in seconds.");
}

/// A variant that is a calibrator.
struct CalibratorVariant {
  const Variant& variant = kEmptyReport<Variant>;
};

void fields(auto& v, const CalibratorVariant& r) {
  v("calibrator", r.variant.calibrator, "The calibrator.");
  v.optional("takes", filled(r.variant.takes), "The calibrator that auto chose; absent for the others.");
  variant_fields(v, r.variant);
}

/// The model in a 16-bit float type.
struct FloatVariant {
  const Variant& variant = kEmptyReport<Variant>;
};

void fields(auto& v, const FloatVariant& r) {
  v("float_type", r.variant.calibrator, "The type as --float-type takes it.");
  variant_fields(v, r.variant);
}

/// A variant that is a type of codes.
struct TypeVariant {
  const Variant& variant = kEmptyReport<Variant>;
  const TypeComparison& types = kEmptyReport<TypeComparison>;
};

void fields(auto& v, const TypeVariant& r) {
  const TypeFacts facts = r.variant.type.value_or(TypeFacts{});
  const auto ratio = [](uint64_t part, uint64_t whole) {
    return when(whole > 0, static_cast<double>(part) / static_cast<double>(whole));
  };
  std::map<std::string, Finite> shares;
  for (const auto& [type, bytes] : facts.weight_bytes) shares[type] = {weight_share(facts, type)};
  v("type", r.variant.calibrator, "The type as --types takes it.");
  variant_fields(v, r.variant);
  v("calibrator", filled(r.variant.takes), "Calibrator that gave the ranges; null for weights alone.");
  v("layers", facts.layers, "Operators with weights.");
  v("quantized_layers", facts.quantized_layers, "Those that run on codes of the type or, weights alone, read them.");
  v("pairs", facts.pairs, "Pairs on activations; 0 for weights alone.");
  v.optional("block", facts.block ? std::optional(WeightBlock{*facts.block}) : std::nullopt,
             "Weights under one scale; absent but for weights alone.");
  v("rounding", facts.by_inputs ? "inputs" : "nearest",
    "How the codes were chosen: by what the layers read, or the nearest ones.", {"inputs", "nearest"});
  v("size_ratio", ratio(r.variant.size_bytes, r.types.model_bytes), "Size of the file over that of the float model.");
  v("weight_bytes", weight_bytes(facts), "Bytes of the weights in the file.");
  v("weight_ratio", ratio(weight_bytes(facts), r.types.weight_bytes),
    "Bytes of the weights over those of the float model.");
  v("weight_shares", shares, "Share of the weights' bytes by type, in [0, 1].");
}

/// The part of a comparison of types beside its scores.
struct TypesOf {
  const ComparisonReport& report = kEmptyReport<ComparisonReport>;
};

void fields(auto& v, const TypesOf& r) {
  const TypeComparison& types = r.report.types ? *r.report.types : kEmptyReport<TypeComparison>;
  std::vector<std::pair<std::string, double>> losses;
  for (size_t i = 0; i < types.losses.size(); ++i)
    losses.emplace_back(r.report.variants[i].calibrator, types.losses[i]);
  v("fp32_size_bytes", types.model_bytes, "Size of the float model in bytes.");
  v("fp32_weight_bytes", types.weight_bytes, "Bytes of its float constants.");
  v("limit", filled(types.limit),
    "The option that limits what a type may lose, with its value; null where there is no limit.");
  v("limit_given", types.limit_given, "Whether the user gave it.");
  v("metric", filled(types.metric), "Metric that the limit speaks of; null where there is no limit.");
  v("losses", losses,
    "What each type lost of that metric against the float model; of nats what it gained, of sqnr_db the SQNR in dB.");
  v("smallest", filled(types.smallest),
    "Of the types within the limit the one with the smallest file; null where there is none.");
}

void comparison_head_fields(auto& v, const ComparisonReport& r) {
  v("model", r.model, "Path of the model, as it was given.");
  v("target", r.target, "Engine and version that was planned for, as in tensorrt:10.13.");
  v("equalize", r.equalized, "Equalization of the model, the same for all variants; null where it was not asked for.");
  v("calibration_samples", r.calibration_samples, "Samples that were calibrated with.");
  v("evaluation_samples", r.evaluation_samples, "Samples that were judged.");
  v("evaluation_digest", r.evaluation_digest,
    "Digest of the evaluation samples' names and contents, whatever their order.");
  v("skipped_samples", r.skipped_samples, "Samples that were left out because they cannot be read.");
  outlier_fields(v, r.outliers);
  v("fp32", Scores{r.fp32}, "Scores of the float model; empty without a task.");
  v("baselines", seen_as<FloatVariant>(r.baselines),
    "The model cast to 16-bit floats without pairs, where what is not quantized computes in 16 bits; no candidates for "
    "the best.");
}

void winner_fields(auto& v, const ComparisonReport& r, const char* winner) {
  std::vector<std::string> deciding;
  for (const Metric& metric : kMetrics)
    if (metric.use == MetricUse::Decides) deciding.emplace_back(metric.name);
  v("winner", r.winner, winner);
  v("ties", r.ties, "Candidates that the samples cannot tell from the winner.");
  v("criterion", r.criterion, "The metric that decided.", deciding);
}

void fields(auto& v, const ComparisonReport& r) {
  v.document("compare", "Report of detent compare");
  comparison_head_fields(v, r);
  v("variants", seen_as<CalibratorVariant>(r.variants), "The calibrators, in the order asked for.");
  winner_fields(v, r, "Calibrator of the best variant.");
  v("provenance", r.provenance, "What the file of the best variant would say of itself.");
  v("coverage", r.plan.coverage, "How much of the model runs in INT8 or FP8, the same for all variants.");
  v("float_types", r.plan.floats, "What of the rest became 16-bit floats; null where it stays as it was.");
  v("calibration_seconds", Finite{r.calibration_seconds}, "Time of the calibration pass, in seconds.");
  v("evaluation_seconds", Finite{r.evaluation_seconds}, "Time to judge, in seconds.");
}

/// The report of compare_types().
struct ComparedTypes {
  const ComparisonReport& report = kEmptyReport<ComparisonReport>;
};

void fields(auto& v, const ComparedTypes& view) {
  const ComparisonReport& r = view.report;
  v.document("compare-types", "Report of detent compare --types");
  comparison_head_fields(v, r);
  v("variants", seen_as<TypeVariant>(r.variants, r.types ? *r.types : kEmptyReport<TypeComparison>),
    "The types, in the order asked for.");
  winner_fields(v, r, "Type of the best variant.");
  v("types", TypesOf{r}, "What the comparison of types says besides scores.");
  v("provenance", r.provenance, "What the file of the best variant would say of itself.");
  v("float_types", nullptr, "Always null: it differs by type.");
  v("calibration_seconds", Finite{r.calibration_seconds}, "Time of the calibration pass, in seconds.");
  v("evaluation_seconds", Finite{r.evaluation_seconds}, "Time to judge, in seconds.");
}

/// The cost of one node. The share is that of the weights where weights alone are quantized.
struct MeasuredNode {
  const SensitivityReport::Layer& layer = kEmptyReport<SensitivityReport::Layer>;
  bool weights = false;
};

void fields(auto& v, const MeasuredNode& r) {
  v.part("measured_node", "What one node costs.");
  v("name", r.layer.name, "Name of the node.");
  v("op", r.layer.op, "Its operator.");
  v("sqnr_db_alone", r.layer.sqnr_db_alone,
    "SQNR of the worst output when only this is quantized, in dB; null where the outputs are equal.");
  v("sqnr_db_all_but", r.layer.sqnr_db_all_but,
    "SQNR of the worst output when all but this is quantized, in dB; null where the outputs are equal.");
  v.optional("mac_share", when(!r.weights, r.layer.macs_share),
             "Share of the model's multiply-accumulates, in [0, 1]; 0 for operators without weights.");
  v.optional("weight_share", when(r.weights, r.layer.macs_share),
             "Share of the elements of the model's weights, in [0, 1], in place of mac_share for weights alone.");
  v.either({"mac_share"}, {"weight_share"});
  v("output", r.layer.output,
    "Name of the worst output when only this is quantized; empty where no output has an SQNR.");
  v.optional("nats_alone", r.layer.nats_alone,
             "Cross entropy of the next token when only this is quantized, in nats a token; with --next-token.");
  v.optional("nats_all_but", r.layer.nats_all_but,
             "Cross entropy of the next token when all but this is quantized, in nats a token; with --next-token.");
}

void fields(auto& v, const LocalError& r) {
  v("name", r.value, "Name of the value.");
  v(metrics::kSqnr.name, r.sqnr_db, "SQNR of the value behind its own pair, in dB.");
}

void fields(auto& v, const SensitivityReport& r) {
  const bool weights = r.weights.has_value();
  v.document("sensitivity", "Report of detent sensitivity");
  v("model", r.model, "Path of the model, as it was given.");
  v("target", r.target, "Engine and version that was planned for, as in tensorrt:10.13.");
  v("calibrator", when(!weights, r.calibrator), "Calibrator that gave the ranges; null for weights alone.");
  v("weight_only", r.weights, "Format of the weights; null where activations are quantized too.");
  v("equalize", r.equalized, "Equalization of the model; null where it was not asked for.");
  v("calibration_samples", r.calibration_samples, "Samples that were calibrated with.");
  v("evaluation_samples", r.evaluation_samples, "Samples that were measured on.");
  v("calibration_digest", r.calibration_digest,
    "Digest of the calibration samples' names and contents, whatever their order; empty where weights alone are "
    "rounded without.");
  v("evaluation_digest", r.evaluation_digest,
    "Digest of the evaluation samples' names and contents, whatever their order.");
  v("skipped_samples", r.skipped_samples, "Samples that were left out because they cannot be read.");
  v("sqnr_db_all", r.sqnr_db_all, "SQNR of the worst output with every layer quantized, in dB.");
  v("fp32", Scores{r.fp32}, "Scores of the float model; empty without --next-token.");
  v("all", Scores{r.all}, "Scores with every layer quantized; empty without --next-token.");
  v("outputs", r.outputs, "Each output with every layer quantized.");
  v("layers", seen_as<MeasuredNode>(r.layers, weights), "The layers, worst first.");
  v("operators", seen_as<MeasuredNode>(r.operators, weights),
    "The operators without weights that carry pairs for their own sake, worst first.");
  v("values", r.values, "The quantized values, worst first.");
  v("variants", r.variants, "Quantized models that were measured.");
  v("plain_runs", r.plain_runs, "What that cost, in runs of the float model over the same samples.");
  v("seconds", Finite{r.seconds}, "Time that the command took, in seconds.");
}

}  // namespace detent::json
