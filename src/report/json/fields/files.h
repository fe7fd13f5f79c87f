#pragma once

#include "detent/cache.h"
#include "detent/inspect.h"
#include "detent/run.h"
#include "detent/verify.h"
#include "report/json/fields/early_end.h"
#include "report/json/fields/parts.h"

namespace detent::json {

inline constexpr const char* kExpanded =
    "ONNX Runtime's own operators in the file that were written as operators of ONNX: number of nodes.";

void fields(auto& v, const TensorInfo& r) {
  v.part("tensor", "A graph input or output.");
  v("name", r.name, "Its name.");
  v("type", r.type, "Its element type as ONNX names it.");
  v("shape", when(r.has_shape, seen_as<OpenSize>(r.shape)),
    "Its sizes, -1 where one is open; null where the model declares no shape.");
  v.optional("kind", when(r.meaning.has_value(), r.meaning ? std::string(name_of(r.meaning->kind)) : std::string()),
             "What an output holds, by the graph alone: classes, class-map, boxes, tokens, embedding, signal or "
             "unknown; absent "
             "for inputs.");
  v.optional("reason", when(r.meaning.has_value(), r.meaning ? r.meaning->reason : std::string()),
             "Why, in words; absent for inputs.");
}

void fields(auto& v, const ModelReport::UnsupportedNode& r) {
  v("node", r.node, "Name of the node.");
  v("op", r.op, "Its operator.");
  v("reason", r.reason, kReason);
}

void fields(auto& v, const ModelReport& r) {
  v.document("model", "Report of detent inspect on a model");
  std::vector<std::pair<std::string, int64_t>> opsets;
  for (const auto& [domain, version] : r.opset) opsets.emplace_back(domain.empty() ? "ai.onnx" : domain, version);
  v("model", r.model, kModelPath);
  v("ir", r.ir, "Version of the ONNX IR.");
  v("opset", opsets, "Version of each operator set, by domain; ONNX itself is ai.onnx.");
  v("inputs", r.inputs, "The graph inputs that are not initializers.");
  v("outputs", r.outputs, "The graph outputs.");
  v.optional("detections", filled(r.detections), kDetections);
  v("operators", r.operators, "Number of nodes of each operator, after the expansion.");
  v("expanded", r.expanded, kExpanded);
  v("float_nodes", r.float_nodes,
    "Number of nodes whose output is a float type, by type, as far as types are known without running.");
  v("float_casts", r.float_casts, "Cast nodes from one float type to another.");
  v("parameters", r.parameters, "Elements of all constants.");
  v("quantized", r.quantized, "Whether the model is quantized already.");
  v("producer", r.producer, "Producer that the model names; may be empty.");
  v("provenance", r.provenance, "Provenance of a model that Detent wrote; null for other models.");
  v("unsupported", r.unsupported, "The nodes that cannot run.");
  v.optional("input_check", r.input_check, "Look at the float model on the data; absent without --data.");
}

void fields(auto& v, const TableReport::Value::Tokens& r) {
  v("first_amax", Finite{r.first}, "Largest magnitude of the first token of each sequence.");
  v("median_amax", Finite{r.median}, "Magnitude that half of the other tokens do not exceed, within an eighth.");
  v("p99_amax", Finite{r.p99}, "Magnitude that 99 % of the other tokens do not exceed, within an eighth.");
  v("others_amax", Finite{r.others}, "Largest magnitude of all other tokens.");
  v("channels", r.channels, "Number of channels.");
  v("largest_channel", r.largest_channel, "Index of the channel with the largest magnitude.");
  v("median_channel_amax", Finite{r.median_channel}, "Magnitude that half of the channels do not exceed.");
  v("wide_channels", r.wide_channels, "Channels with at least half of the largest channel's magnitude.");
}

void value_fields(auto& v, const TableReport::Value& r) {
  v("name", r.name, "Name of the value.");
  v("count", r.count, "Finite elements that were seen, zeros included.");
  v("zeros", r.zeros, "Those of them with a magnitude below 2^-40.");
  v("nans", r.nans, "Elements that were NaN.");
  v("infinities", r.infinities, "Elements that were infinite.");
  v("min", Finite{r.min}, "Smallest finite element.");
  v("max", Finite{r.max}, "Largest finite element.");
  v("log2_width", r.log2_width, "Binary logarithm of the width of the histogram's bins.");
  v("bins_in_use", r.bins_in_use, "Bins that hold an element.");
}

void fields(auto& v, const TableReport::Value& r) {
  v.part("table_value", "One value of a calibration table.");
  value_fields(v, r);
  v.optional("scale", r.scale ? std::optional(Finite{*r.scale}) : std::nullopt,
             "An imported scale; then nothing else is known of the value.");
  v.optional("tokens", r.tokens, "Magnitudes of single tokens and channels, where the value has a token axis.");
}

void fields(auto& v, const TableReport& r) {
  v.document("table", "Report of detent calibrate, merge, and inspect on a calibration table");
  v("table", r.table, "Path of the table.");
  v("model_fingerprint", r.model_fingerprint, "Fingerprint of its model.");
  v("samples", r.samples.size(), "Number of its samples.");
  v("shards", r.shards, "Its shards, as in 2/4.");
  v("partial", r.partial, "Whether samples or shards are missing.");
  v("missing_shards", r.missing_shards, "Shards that are still to be added.");
  v("kept", r.kept, "Whether the complete table existed and nothing was written.");
  v("targets", r.targets, "Targets whose values it holds; empty for those that any target could quantize.");
  v("equalize", filled(r.equalize), "Requested equalization; null if none.");
  v("equalized_values", r.equalized_values, "Number of equalized values.");
  v("float_values", r.float_values,
    "Values whose largest magnitude is known, for 16-bit float types; 0 where it was not measured.");
  v("tools", r.tools, "Programs and versions that made it.");
  v("instruction_sets", r.instruction_sets, "Instruction sets of the kernels that made it.");
  v("sample_names", r.samples, "Names of the samples, in the order of the table.");
  outlier_fields(v, r.outliers);
  v("values", r.values, "The values, in execution order.");
}

void fields(auto& v, const DistributionReport::Row& r) {
  v("low", Finite{r.low}, "Lower end, in the value's unit.");
  v("high", Finite{r.high}, "Upper end, in the value's unit.");
  v("count", r.count, "Elements between them.");
}

void fields(auto& v, const DistributionReport& r) {
  v.document("distribution", "Report of detent inspect --value");
  v("table", r.table, "Path of the table.");
  value_fields(v, r.value);
  v.optional("tokens", r.value.tokens, "Magnitudes of single tokens and channels, where the value has a token axis.");
  v("rows", r.rows, "The histogram in a few rows of equal width, ascending, without zeros.");
  v("negative_bins", r.negative,
    "Elements below 0 in every bin of the width 2^log2_width, from 0 downwards; the last one is not empty.");
  v("positive_bins", r.positive, "The same above 0, upwards.");
}

void fields(auto& v, const ProfileReport::Line& r) {
  v("node", r.node, "Name of the node.");
  v("op", r.op, "Its operator, and those fused into it.");
  v("ms", r.ms, "Time per sample, in milliseconds.");
}

void fields(auto& v, const ProfileReport::Collecting& r) {
  v("target", r.target, "Target whose values were collected.");
  v("values", r.values, "Number of collected values.");
  v("total_ms", r.total_ms, "Time per sample with collecting, in milliseconds.");
  v("collector_ms", r.collector_ms, "Part of it for collecting, in milliseconds.");
}

void fields(auto& v, const ProfileReport& r) {
  v("samples", r.samples, "Samples that were timed.");
  v("total_ms", r.total_ms, "Time per sample on one worker, in milliseconds.");
  v("nodes", r.nodes, "The nodes, in execution order.");
  v.optional("collecting", r.collecting,
             "A calibration pass over the same samples; absent where the model is quantized.");
}

void fields(auto& v, const RunReport& r) {
  v.document("run", "Report of detent run");
  v("model", r.model, kModelPath);
  v("samples", r.samples, "Number of samples that were run.");
  v("skipped_samples", r.skipped_samples, kSkippedSamples);
  v("seconds", r.seconds, kCommandSeconds);
  v("expanded", r.expanded, kExpanded);
  v("written", r.written, "Paths of the written files.");
  v("profile", r.profile, "Times by node; null without --profile.");
}

void fields(auto& v, const VerifyReport::Line& r) {
  static constexpr std::array<const char*, 3> kOutcomes{"passed", "failed", "unsupported"};
  v("folder", r.folder, "Path of the folder.");
  v("model", r.model, "Path of the model.");
  v("outcome", kOutcomes[static_cast<size_t>(r.outcome)], "Result of the comparison.",
    {kOutcomes.begin(), kOutcomes.end()});
  v("detail", r.detail, "Differences, or the reason why it cannot run, in words.");
  v("operators", r.operators, "Operators that cannot run, or that make the first wrong output.");
  v("worst_relative_error", r.worst_relative_error,
    "Largest difference over the largest expected magnitude, of all data sets and outputs.");
  v("detection_agreement", r.detection_agreement,
    "The mAP of a failed detector, with its stored detections above .5 as the truth.");
}

void fields(auto& v, const VerifyReport& r) {
  v.document("verify", "Report of detent verify");
  v("models", r.lines, "One entry for each model, in the order of the folders.");
  v("passed", r.passed, "Models that passed.");
  v("failed", r.failed, "Models that failed.");
  v("unsupported", r.unsupported, "Models that cannot run.");
}

void fields(auto& v, const CacheExportReport& r) {
  v.document("cache-export", "Report of detent cache export");
  v("table", r.table, "Path of the table.");
  v("output", r.output, kWrittenPath);
  v("target", r.target, "Engine and version that the cache names.");
  v("calibrator", r.calibrator, "Calibrator of the ranges.");
  v("scales", r.scales, "Number of scales that were written.");
  v.optional("arguments", filled(r.arguments), "Path of trtexec's arguments for DLA; absent without --dla.");
}

void fields(auto& v, const CacheImportReport& r) {
  v.document("cache-import", "Report of detent cache import");
  v("cache", r.cache, "Path of the cache.");
  v("output", r.output, kWrittenPath);
  v("version_line", r.version_line, "First line of the cache.");
  v("imported", r.imported, "Number of scales that were imported.");
  v("unknown", r.unknown, "Names in the cache that match no value of the model.");
  v("without_scale", r.without_scale, "Names in the cache with scale 0.");
  v("target", r.target, "Target of the default placement for the next list.");
  v("missing", r.missing, "Values that this placement quantizes but the cache lacks.");
}

}  // namespace detent::json
