#pragma once

#include "detent/cast.h"
#include "detent/lint.h"
#include "detent/repair.h"
#include "report/json/fields/latency.h"
#include "report/json/fields/parts.h"

namespace detent::json {

inline constexpr const char* kEstimateSource = "Where the numbers of the GPU are from.";

void plan_head_fields(auto& v, const PlanReport& r) {
  model_and_target_fields(v, r);
  v("samples", r.samples, "Number of samples that were read: all, or one if only sizes are needed; 0 without data.");
  v("sample_digest", r.sample_digest, "Digest of the samples' names and contents, in any order; empty without data.");
}

void fields(auto& v, const PlanReport::Edge& r) {
  v("value", r.value, "Name of the value that is read.");
  v("consumer", r.consumer, "Name of the node that reads it.");
  v("op", r.op, "Operator of that node.");
  v("slot", static_cast<size_t>(r.slot), "Index of the input.");
  v("decision", name_of(r.reads), "Whether it is read through a pair; dynamic: it gets scale and codes at run time.",
    {"pair", "dynamic", "float"});
  v("bits", when<size_t>(is_pair(r.reads), r.codes == CodeType::A16W8 ? 16 : 8),
    "Bits of the codes; null without a pair.");
  v("scale_group", r.scale_group, "Number of the group of values that share the scale; null without a group.");
  v("rule", r.rule, "Rule that decided, as src/place/RULES.md names it.");
  v("reason", r.reason, kReason);
  v("overruled", filled(r.overruled), "Rule that wanted the opposite; null: none did.");
}

void fields(auto& v, const PlanReport::Equalizable& r) {
  v("family", r.family, "Id of the family, as --equalize takes it.");
  v("count", r.values.size(), "Number of values.");
  v("values", r.values, "Their names.");
}

void fields(auto& v, const StandaloneQuantizer& r) {
  v.part("quantizer", "A node of a pair that TensorRT would run as a layer by itself.");
  v("node", r.node, "Name of the QuantizeLinear or DequantizeLinear.");
  v("reason", r.reason, kReason);
  v("shortcut", r.shortcut, "Whether the reason is an Add whose shortcut has no pair.");
}

void fields(auto& v, const SpeedOutlook& r) {
  v.part("outlook", "Counts that decide how fast INT8 is with TensorRT.");
  v("verdict", r.verdict,
    "None where no layer runs in INT8. Else whether forecasts expect the file to be faster than the float model: "
    "likely, "
    "doubtful, or unknown without a forecast.",
    {"likely", "doubtful", "unknown", "none"});
  v("text", r.text, "The counts, in words.");
  v("int8_share", Finite{r.int8_share},
    "Share of MACs in INT8, or of weighted layers where sizes are open, in [0, 1].");
  v("quantizers", r.quantizers, "Number of quantizers and dequantizers that would be layers by themselves.");
  v("shortcuts", r.shortcuts, "Number of these whose reason is a shortcut without a pair.");
  v("float_islands", r.float_islands, "Number of float nodes between INT8 layers.");
  v("concat_copies", r.concat_copies, "Number of values whose codes are copied into the joint tensor of a Concat.");
  v("attention_blocks", r.attention_blocks, "Number of attention blocks whose products stay float.");
  v("border_bytes", r.border_bytes,
    "Bytes that these quantizers read in FP16 and write in INT8, or the other way, in one run; 0 where sizes are "
    "open.");
}

void gpu_estimate_fields(auto& v, const GpuEstimate& r) {
  v("gpu", r.gpu, "Name of the GPU.");
  v("float_ms", Finite{r.float_ms}, "Milliseconds of the float model in FP16.");
  v("ms", Finite{r.ms}, "Milliseconds of the planned file, built for INT8 and FP16.");
  v("ratio", Finite{r.ratio}, "The first of these over the second: above 1 the file is faster.");
}

void fields(auto& v, const GpuEstimate& r) {
  v.part("gpu_estimate", "The same model on a GPU that it was not fitted on.");
  gpu_estimate_fields(v, r);
  v("source", r.source, kEstimateSource);
}

void fields(auto& v, const SpeedEstimate& r) {
  v.part("estimate", "Milliseconds by a model of TensorRT's kernels: arithmetic, bytes, starts.");
  gpu_estimate_fields(v, r);
  v("error", Finite{r.error}, "Standard error of the ratio, as a fraction of it.");
  v("source", r.source, kEstimateSource);
  v("others", r.others, "Other GPUs by their data sheets; the error is not known there.");
}

/// Members about the speed with TensorRT, of plan and lint.
void speed_fields(auto& v, const PlanReport& r) {
  v("quantizers", r.quantizers, "Nodes of pairs that TensorRT would run as layers by themselves, in node order.");
  v("outlook", r.outlook, "Counts that decide how fast INT8 is; null for other engines, FP8, and files without pairs.");
}

void fields(auto& v, const PlanReport& r) {
  v.document("plan", "Report of detent plan");
  plan_head_fields(v, r);
  v("layers", r.layers, "The weighted operators, in execution order.");
  v("edges", r.edges, "Every data input of every node, in execution order.");
  v("wide_nodes", r.wide_nodes, "Nodes with 16-bit activations beside nodes of 8 bits, in execution order.");
  v("attention", r.attention, "Blocks of attention and what the engine makes of them, in execution order.");
  v("notes", r.notes, kNotes);
  v("float_types", r.floats, kFloatTypes);
  v("equalizable", r.equalizable,
    "Values whose channels equalization could even out, by family; null where open sizes leave that unknown.");
  v("coverage", r.coverage, "Share of the model that would run in INT8 or FP8.");
  speed_fields(v, r);
  v("forecasts", r.forecasts,
    "What tables of measured latencies expect of the plan, one a machine; empty without one.");
  v.optional("detections", filled(r.detections), kDetections);
  v.optional("estimate", r.estimate,
             "How long FP16 and the planned file are expected to take with TensorRT; absent where nothing is known.");
}

void fields(auto& v, const LintReport::Finding& r) {
  v("id", r.id, "Id of the finding, as lint --help and src/place/RULES.md list it.");
  v("level", r.level, "Its severity.", {"error", "warning", "note"});
  v("node", r.node, "Name of the node or value.");
  v("message", r.message, "The finding, in words.");
  v("cure", r.cure, "How to fix it, in words; may be empty.");
  v("mac_share", r.mac_share, "Affected share of the model's multiply-accumulates, in [0, 1]; 0 where sizes are open.");
}

void fields(auto& v, const LintReport& r) {
  v.document("lint", "Report of detent lint");
  plan_head_fields(v, r.plan);
  v("origin", r.origin, "Form of quantization: pairs, integer operators, or none.", {"qdq", "qoperator", "float"});
  v("codes", r.codes, "Types of the pairs, in words; empty without pairs.");
  v("built_for", filled(r.built_for), "Another engine that the file seems to be built for; null without one.");
  v("following", r.following, "Number of findings that do not occur for that engine.");
  v("findings", r.findings, "The findings, worst first.");
  speed_fields(v, r.plan);
  v("layers", r.plan.layers, "The weighted operators as the file runs them, in execution order.");
  v("notes", r.plan.notes, kNotes);
  v("coverage", r.plan.coverage, "Share of the file that runs in INT8 or FP8.");
}

void fields(auto& v, const RepairReport::Pair& r) {
  v("value", r.value, "Name of the value, or of the bias.");
  v("action", r.action, "What became of its pair.", {"kept", "moved", "removed", "added"});
  v("rule", r.rule, "Placement rule that decided, or -.");
  v("reason", r.reason, "The reason, in words.");
  v("moved_from", r.moved_from, "Name of the value whose pair it was in the file, if it is another one; else empty.");
}

void fields(auto& v, const RepairReport& r) {
  v.document("repair", "Report of detent repair");
  v("model", r.model, kModelPath);
  v("output", r.output, kWrittenPath);
  v("target", r.target, "Engine and version.");
  v("changed", r.changed, "Whether anything had to change; otherwise the written model is the one that was read.");
  v("pairs", r.pairs, "Every pair on activations and biases, in execution order, those removed last.");
  v("weights_kept", r.weights_kept, "Number of weights that keep their codes.");
  v("weights_anew", r.weights_anew, "Weights that got other codes, with the reason.");
  v("measured", r.measured, "Number of values that got their range from data.");
  v("samples", r.samples, "Number of samples that gave those ranges; 0 where all follow from the file.");
  v("errors_before", r.before.count("error"), "Number of errors that lint finds in the file before.");
  v("warnings_before", r.before.count("warning"), "Number of warnings that lint finds in the file before.");
  v("findings", r.lint.findings, "What lint finds in the written file, worst first.");
  v("coverage", r.lint.plan.coverage, "Share of the written file that runs in INT8.");
  v("error", measured_error(r.error, "the given samples"),
    "Difference of the written file from the file before; null without data.");
  verdict_fields(v, r.verdict);
  v("evaluation_samples", r.evaluation_samples, "Number of samples that were scored.");
  v.optional("steps", when(r.steps > 0, r.steps),
             "Steps of each sample, which every model takes with its own states; absent where samples are whole.");
  v.optional("labels", filled(r.labels), kLabels);
  v("scores_before", Scores{r.scores_before}, "Scores of the file before, of the task that was given.");
  v("scores", Scores{r.scores}, "The same of the written file.");
  v("bytes_before", r.bytes_before, "Size of the file before in bytes, with external data.");
  v("bytes_after", r.bytes_after, "Size of the written file in bytes, with external data.");
  v("seconds", Finite{r.seconds}, kCommandSeconds);
}

/// Error of a model that was cast, without agreements.
struct CastError {
  const ErrorReport& error = kEmptyReport<ErrorReport>;
};

void fields(auto& v, const CastError& r) {
  v("samples", r.error.samples, "Number of compared samples.");
  v(metrics::kSqnr.name, r.error.sqnr_db, description_of(metrics::kSqnr));
  v(metrics::kCosine.name, r.error.cosine, description_of(metrics::kCosine));
  v("outputs", r.error.outputs, "Each compared output, in the model's order.");
}

void fields(auto& v, const KeptPairs& r) {
  v.part("kept_pairs", "The quantization of a model that was cast. Codes and zero points keep every bit.");
  v("quantizers", r.quantizers, "Number of QuantizeLinear nodes in the written model.");
  v("dequantizers", r.dequantizers, "Number of DequantizeLinear nodes in the written model.");
  v("code_constants", r.code_constants, "Number of constants that hold codes.");
  v("stored_codes", r.stored_codes, "Number of these that a QuantizeLinear of the model made of a float constant.");
  v("scale_type", r.scale_type, "Type of the scales beside 16-bit nodes.", {"float16", "bfloat16", "float32"});
  v("scales", r.scales, "Number of scales in constants.");
  v("rounded_scales", r.rounded_scales, "Number of scales that the 16-bit type does not hold exactly.");
  v("largest_change", Finite{r.largest_change},
    "Largest change of a rounded scale as a fraction of it, without small_scales.");
  v("small_scales", r.small_scales,
    "Number of rounded scales that changed by more than 1/254 of themselves, but by less than the type rounds the "
    "largest scale of the same tensor.");
  v("float32_scales", r.float32_scales, "Number of scales that stay FP32.");
}

void fields(auto& v, const CastReport& r) {
  v.document("cast", "Report of detent cast");
  v("model", r.model, kModelPath);
  v("output", r.output, kWrittenPath);
  v("samples", r.samples, "Number of measured samples; 0 where pairs and weights bounded the values.");
  v("floats", r.floats, "The conversion to 16-bit floats.");
  v("pairs", r.pairs, "The quantization of the model; null where it has no pairs.");
  v("coverage", r.coverage, "Types of the written model.");
  v("error", r.error ? std::optional(CastError{*r.error}) : std::nullopt,
    "Error of the written model against the model before; null where it was not measured.");
  v("bytes_before", r.bytes_before, "Size of the model before in bytes, with external data.");
  v("bytes_after", r.bytes_after, "Size of the written model in bytes, with external data.");
  v("seconds", Finite{r.seconds}, kCommandSeconds);
}

}  // namespace detent::json
