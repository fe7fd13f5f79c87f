#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detent/options/accuracy_bound.h"
#include "detent/options/float_types.h"
#include "detent/options/weight_format.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/equalize_report.h"
#include "detent/reports/error_report.h"
#include "detent/reports/plan_report.h"
#include "detent/reports/provenance.h"
#include "report/output_errors.h"

namespace detent::json {

/// The version of all JSON Schemas, MAJOR.MINOR. A new member of any document raises MINOR, every other change MAJOR:
/// src/report/json/README.md.
inline constexpr const char* kSchemaVersion = "2.0";

/// Returns the $id of a schema.
[[nodiscard]] inline std::string schema_id(const std::string& kind) {
  return "urn:detent:" + kind + ":" + kSchemaVersion;
}

/// Values that fields() gives beside numbers, texts, lists, maps and structs with fields(). A double that is not finite
/// becomes null, and so does an empty optional.

/// A number that is always finite.
struct Finite {
  double value = 0;
};

/// A size of a shape: -1 where it is open.
struct OpenSize {
  int64_t value = 0;
};

/// WeightFormat::block: a count, or "channel" for 0.
struct WeightBlock {
  int64_t size = 0;
};

/// A list that is always empty.
using NoList = std::array<bool, 0>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// A map, or a list of pairs in an order that counts.
template <class T>
concept NamedValues = requires(const T& values) {
  values.begin()->second;
};

/// The report that a view stands on where a schema asks for the view's fields.
template <class Report>
inline const Report kEmptyReport{};

/// Returns the value, or nothing where the condition is false.
template <class T>
[[nodiscard]] std::optional<T> when(bool condition, T value) {
  return condition ? std::optional<T>(std::move(value)) : std::nullopt;
}

/// Returns nothing for an empty text.
[[nodiscard]] inline std::optional<std::string> filled(const std::string& text) { return when(!text.empty(), text); }

/// Returns a view of each item: View{item, rest...}.
template <class View>
[[nodiscard]] std::vector<View> seen_as(const auto& items, const auto&... rest) {
  std::vector<View> views;
  for (const auto& item : items) views.push_back(View{item, rest...});
  return views;
}

/// Returns views of the items that `holds` is true of.
template <class View>
[[nodiscard]] std::vector<View> seen_where(const auto& items, const auto& holds) {
  std::vector<View> views;
  for (const auto& item : items)
    if (holds(item)) views.push_back(View{item});
  return views;
}

/// Parts of several documents. fields() names each member of a report once, for the document, its JSON Schema and
/// Python's stubs:
///
/// v.part(NAME, DESCRIPTION)          the struct is a part of several documents, under that name
/// v.document(KIND, TITLE)            the struct is a document
/// v(NAME, VALUE, DESCRIPTION)        a member that is always there; an optional without value is null
/// v(NAME, VALUE, DESCRIPTION, WORDS) a text that is one of these words
/// v.optional(NAME, VALUE, ...)       a member that is left out where the optional has no value
/// v.either(NAMES, OTHERS)            either the members of these names are there or the others

/// Returns what a metric says, with its unit, in a sentence.
[[nodiscard]] inline std::string description_of(const Metric& metric) {
  const std::string text = metric.meaning + std::string(".");
  if (metric.unit == MetricUnit::Fraction) return text + " In [0, 1].";
  return metric.unit == MetricUnit::Decibels ? text + " In dB; null where the outputs are equal or have none." : text;
}

/// Scores by name.
struct Scores {
  const std::map<std::string, double>& values = kEmptyReport<std::map<std::string, double>>;
};

void fields(auto& v, const Scores& r) {
  v.part("metrics", "Scores of one model over the evaluation samples; only those that could be measured are there.");
  auto metrics = kMetrics;  // in the order of the map
  std::ranges::sort(metrics, {}, [](const Metric& metric) { return std::string_view(metric.name); });
  for (const Metric& metric : metrics) {
    const auto found = r.values.find(metric.name);
    v.optional(metric.name, found == r.values.end() ? std::nullopt : std::optional(found->second),
               description_of(metric));
  }
}

void fields(auto& v, const TypeShare& r) {
  v.part("type_share", "What of a model has one type.");
  v("macs", r.macs,
    "Multiply-accumulates of the weighted layers that compute in the type, for one sample; 0 where sizes are open.");
  v("activation_bytes", r.activation_bytes,
    "Bytes of the values that nodes read in the type, each once, for one sample; 0 where sizes are open.");
}

void fields(auto& v, const TypeShares& r) {
  v("int8", r.int8, "What is codes of 8 bits.");
  v("half", r.half, "What is a 16-bit float.");
  v("float32", r.float32, "What is wider.");
}

void fields(auto& v, const CoverageReport& r) {
  v.part("coverage",
         "How much of a model runs in INT8, or in FP8 where that is the type. Layers are the operators with weights; "
         "LSTM, GRU and RNN count as float layers, and so does an If, Loop or Scan with layers inside.");
  v("type", option_name_of(r.type), "Type of the codes, which the members called int8 count.", {"int8", "fp8"});
  v("layers", r.layers, "Layers of the model.");
  v("int8_layers", r.int8_layers, "Layers that run on codes of the type.");
  v("macs", r.macs, "Multiply-accumulates of all layers for one sample; 0 where sizes are open.");
  v("int8_macs", r.int8_macs, "Multiply-accumulates of the layers that run on codes.");
  v("params", r.params, "Elements of the layers' weights.");
  v("int8_params", r.int8_params, "Elements of the weights of the layers that run on codes.");
  v("activation_bytes", r.activation_bytes,
    "Bytes of the values that nodes read, four for an element, for one sample; 0 where sizes are open.");
  v("int8_activation_bytes", r.int8_activation_bytes,
    "Those bytes for the values that are read as codes, four for an element too.");
  v("pairs", r.pairs, "QuantizeLinear/DequantizeLinear pairs on activations.");
  v("types", r.types, "What computes and is stored in which type in the written file.");
  v("casts", r.casts, "Cast nodes that were added.");
}

void fields(auto& v, const ErrorReport::Output& r) {
  v.part("output_error", "Error of one graph output against the float model's, over the samples.");
  v("name", r.name, "Name of the output.");
  v("kind", name_of(r.kind),
    "What the output holds, which says what its agreement counts: nothing (float), positions with the same largest "
    "score (scores), elements with the same sign (signs), equal elements (integers).",
    {"float", "scores", "signs", "integers"});
  v(metrics::kSqnr.name, r.sqnr_db, "SQNR in dB; null where the outputs are equal, and for integers.");
  v(metrics::kCosine.name, r.cosine, "Cosine similarity in [-1, 1]; null for integers.");
  v("agreement", r.agreement, "Share of what agrees, in [0, 1]; null where kind is float.");
  v("exact", is_exact(r), "Whether every element is equal.");
}

/// An error and the samples that it was measured on, in words.
struct MeasuredError {
  ErrorReport error = {};
  std::optional<std::string> samples = {};
};

void fields(auto& v, const MeasuredError& r) {
  v.part("error",
         "Error of the written model against the float model. A model is as good as its worst output: each number is "
         "that of the output where it is lowest.");
  v("samples", r.error.samples, "Samples that were compared.");
  for (const auto& [metric, member] : kErrorMetrics) v(metric.name, r.error.*member, description_of(metric));
  v.optional("outputs", when(!r.error.outputs.empty(), r.error.outputs),
             "Each compared output, in the model's order; absent where there is none.");
  v.optional("measured_on", r.samples, "The samples in words; absent for the candidates of auto.");
}

[[nodiscard]] inline std::optional<MeasuredError> measured_error(const std::optional<ErrorReport>& error,
                                                                 std::optional<std::string> samples = {}) {
  return error ? std::optional(MeasuredError{*error, std::move(samples)}) : std::nullopt;
}

void fields(auto& v, const OutlierReport::Sample& r) {
  v.part("outlier_sample", "A calibration sample that alone sets the range of many values.");
  v("sample", r.sample, "Name of the sample.");
  v("values", r.values, "Values whose range it alone sets.");
  v("ratio", r.ratio, "Its largest magnitude over the median sample's, for the value of these where that is largest.");
}

void outlier_fields(auto& v, const OutlierReport& r) {
  v("outlier_samples", r.samples, "Calibration samples that alone set the range of many values, most values first.");
}

void fields(auto& v, const Provenance& r) {
  v.part("provenance", "What a model that Detent wrote says of itself in its metadata.");
  v("producer", r.producer, "Program and version that wrote it.");
  v("target", r.target, "Engine and version that it was written for.");
  v("calibrator", r.calibrator, "Calibrator that gave the ranges; empty for weights alone.");
  v("ranges", r.ranges,
    "Fingerprint of the values' names and ranges, 32 hexadecimal digits; empty where there are none.");
  v("samples", r.samples, "Samples that it was calibrated with; 0 for imported scales.");
  v("sample_digest", r.sample_digest,
    "Digest of the samples' names and contents, whatever their order; empty without samples and for weights alone.");
  v("options", r.options, "Options that differ from the target's defaults; may be empty.");
  v("source_producer", r.source_producer, "Producer of the float model; empty where it names none.");
}

void fields(auto& v, const BoundReport::Kept& r) {
  v("name", r.name, "Name of the node.");
  v("op", r.op, "Its operator.");
  v("reason", r.reason, "What it costs and which bound asks for it.");
  v("mac_share", r.macs_share, "Share of the model's multiply-accumulates that are float because of it, in [0, 1].");
}

void fields(auto& v, const BoundReport& r) {
  v.part("bound", "How a bound on the accuracy was kept, and the layers that stay float for it.");
  v("bound", r.bound, "The option and its value.");
  v("met", r.met, "Whether the written model holds it.");
  std::vector<std::string> bounded;
  for (const Metric& metric : kMetrics)
    if (metric.use == MetricUse::Decides && !metric.is_agreement()) bounded.emplace_back(metric.name);
  v("metric", r.metric, "What the bound speaks of.", bounded);
  v("fp32", r.fp32, "That metric of the float model; null for sqnr_db.");
  v("all_int8", r.all_int8, "That metric with every layer quantized.");
  v("reached", r.reached, "That metric of the written model.");
  v(metrics::kPerplexity.name, when(r.metric == metrics::kNats.name, std::exp(r.reached)),
    "Perplexity of the written model where the metric is nats, else null.");
  v("sqnr_db_all_int8", r.sqnr_db_all_int8, "SQNR of the worst output with every layer quantized, in dB.");
  v(metrics::kSqnr.name, r.sqnr_db, "SQNR of the worst output of the written model, in dB.");
  v("output", filled(r.output), "Name of that output; null where only one was measured.");
  v("metrics", r.metrics,
    "Metrics of labels, masks or tokens of the written model, which a bound on the SQNR does not speak of; else "
    "empty.");
  v("fp32_metrics", r.fp32_metrics, "The same of the float model.");
  v("kept", r.kept, "Layers and operators that stay float for the bound.");
  v("samples", r.samples, "Samples that were judged.");
  v("measurements", r.measurements, "Quantized models that were run over all of them.");
  v("seconds", Finite{r.seconds}, "Time that the search took, in seconds.");
}

void fields(auto& v, const VerdictReport::Blame& r) {
  v.part("blame", "A value that costs much of the accuracy.");
  v("value", r.value, "Name of the value.");
  v(metrics::kSqnr.name, r.sqnr_db, "SQNR of the value behind its own pair, in dB.");
  v("sqnr_db_without", r.sqnr_db_without, "SQNR of the worst output when this value alone has no pair, in dB.");
}

void verdict_fields(auto& v, const VerdictReport& r) {
  v("verdict", r.quality ? std::optional(name_of(*r.quality)) : std::nullopt,
    "What the written model is worth; null where its error was not measured or there is nothing to measure.",
    {"good", "doubtful", "broken"});
  v("verdict_reasons", r.reasons, "What the verdict rests on, the worst first, in words.");
  v("caveats", r.caveats, "What one must know to trust it, in sentences.");
  v("blame", r.blame, "The values that cost most, worst first; empty where the verdict is good.");
  v("cures", r.cures, "Options to try next, the likeliest first; empty where the verdict is good.");
}

void fields(auto& v, const WeightFormat& r) {
  v.part("weight_format", "Format of weights that are quantized alone.");
  v("codes", name_of(r.codes), "Type of the codes.", {"int4", "int8"});
  v("block", WeightBlock{r.block},
    "Weights under one scale along the axis that the product sums over, or channel for all of an output channel.");
}

void fields(auto& v, const FloatReport::Exception& r) {
  v("node", r.node, "Name of the node.");
  v("op", r.op_type, "Its operator.");
  v("rule", r.rule, "Id of the reason.");
  v("value", filled(r.value), "Name of the value that decides; null where the node itself does.");
  v("measured", when(!r.value.empty(), r.measured), "What that value reaches; null where the node itself decides.");
  v("reason", r.reason, "The reason in words.");
}

void fields(auto& v, const FloatReport& r) {
  v.part("float_types", "What became 16-bit floats, and which nodes stay FP32.");
  v("type", r.type, "The 16-bit type.", {"float16", "bfloat16"});
  v("values_measured", r.values_measured,
    "Whether samples were run; else the exceptions are those that operators, constants and structure tell.");
  v("half_nodes", r.half_nodes, "Nodes that compute in the type.");
  v("float32_nodes", r.float32_nodes, "Nodes that stay FP32.");
  v("casts", r.casts, "Cast nodes that were added.");
  v("cut_masks", r.cut_masks, "Constants in front of a Softmax that were cut to what the type holds.");
  v("exceptions", r.exceptions, "The nodes that stay FP32, in execution order.");
}

/// A weighted layer and the type of the plan's codes.
struct TypedLayer {
  const PlanReport::Layer& layer = kEmptyReport<PlanReport::Layer>;
  CodeType type = {};
};

void fields(auto& v, const TypedLayer& r) {
  v.part("layer", "A weighted operator and its decision.");
  v("name", r.layer.name, "Name of the node.");
  v("op", r.layer.op, "Its operator.");
  v("int8", r.layer.int8, "Whether it runs on codes of the plan's type.");
  v("type", r.layer.int8 ? option_name_of(r.type) : "float", "Type that it runs in.", {"int8", "fp8", "float"});
  v("rule", r.layer.rule, "Rule that decided, as src/place/RULES.md names it.");
  v("reason", r.layer.reason, "The reason in words.");
  v("macs", r.layer.macs, "Multiply-accumulates for one sample; 0 where sizes are open.");
  v("params", r.layer.params, "Elements of its weight.");
}

/// A layer that stays float.
template <class Layer>
struct FloatLayer {
  const Layer& layer = kEmptyReport<Layer>;
};

template <class Layer>
void fields(auto& v, const FloatLayer<Layer>& r) {
  v.part("float_layer", "A weighted operator that stays float.");
  v("name", r.layer.name, "Name of the node.");
  v("reason", r.layer.reason, "The reason in words.");
}

void fields(auto& v, const EqualizeReport::Family& r) {
  v("name", r.name, "Id of the family, as --equalize takes it.");
  v("alpha", Finite{r.alpha}, "Exponent of the activations' share in the factors.");
  v("groups", r.groups, "Groups of layers that can be equalized.");
  v("values", r.values, "Values that can be equalized.");
  v("kept", r.kept, "Whether the family is equalized in the written model.");
  v("reason", r.reason, "Why it was not kept, in words; empty where it was, or was not measured.");
  v("gain_db", r.gain_db,
    "Gain of the output SQNR on top of the families kept before it, in dB; null where it was not measured.");
}

void fields(auto& v, const EqualizeReport::Value& r) {
  v("name", r.name, "Name of the value.");
  v("family", r.family, "Id of its family.");
  v("channels", r.channels, "Number of its channels.");
  v("imbalance_before", r.imbalance_before,
    "Largest over median magnitude of its channels, before; 0 where it was not measured.");
  v("imbalance_after", r.imbalance_after, "The same, after.");
}

/// Names the members of every measured change.
void change_fields(auto& v, const MeasuredChange& r) {
  v("sqnr_before_db", r.before_db,
    "SQNR at the outputs without the change, in dB; null where nothing was measured or nothing differs.");
  v("sqnr_after_db", r.after_db, "SQNR at the outputs with it, in dB; null as before.");
  v("kept", r.kept, "Whether the change was kept.");
  v("reason", r.reason, "Why not, or what to know where it was, in words; may be empty.");
  v("samples", r.samples, "Samples that decided or were taken for the change; 0 where nothing was measured.");
  v("seconds", Finite{r.seconds}, "Time that it took, in seconds.");
}

void fields(auto& v, const AcceptanceReport& r) {
  v.part(
      "acceptance",
      "A change of the model, measured as it would be written beside the model without it. The two SQNRs are half the "
      "mean of the samples' SQNRs and half the SQNR of their mean noise.");
  change_fields(v, r);
  v("worst_before_db", r.worst_before_db, "Mean over the worst tenth of the samples without the change, in dB.");
  v("worst_after_db", r.worst_after_db, "The same with it, in dB.");
}

void fields(auto& v, const EqualizeReport& r) {
  v.part("equalization", "The equalization of the model before it was calibrated.");
  v("requested", r.requested, "What was asked for, and whether by a calibration table.");
  v("families", r.families, "Every family that was looked at, those without a group too.");
  v("values", r.values, "The values that are equalized.");
  v("acceptance", r.acceptance,
    "The equalized model beside the one without equalization, as written; null where that was not measured.");
  change_fields(v, r);
  v("notes", r.notes, "What else there is to know, in sentences.");
}

}  // namespace detent::json
