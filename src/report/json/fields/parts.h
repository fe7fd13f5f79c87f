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

#include "detent/options/float_types.h"
#include "detent/options/weight_format.h"
#include "detent/reports/bound_report.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/error_report.h"
#include "detent/reports/output_report.h"
#include "detent/reports/plan_report.h"
#include "detent/reports/provenance.h"
#include "report/output_errors.h"

namespace detent::json {

/// Version of all JSON Schemas, MAJOR.MINOR. A new member of any document raises MINOR, every other change MAJOR:
/// src/report/json/README.md.
inline constexpr const char* kSchemaVersion = "2.0";

/// Returns the $id of a schema.
[[nodiscard]] inline std::string schema_id(const std::string& kind) {
  return "urn:detent:" + kind + ":" + kSchemaVersion;
}

/// Types of values that fields() passes besides numbers, texts, lists, maps and structs with fields(). A double that is
/// not finite and an empty optional become null.

/// A number that is always finite.
struct Finite {
  double value = 0;
};

/// A size of a shape; -1 if it is open.
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

/// A map, or a list of pairs in a fixed order.
template <class T>
concept NamedValues = requires(const T& values) {
  values.begin()->second;
};

/// An empty report, for views of which only the fields are needed (in schemas).
template <class Report>
inline const Report kEmptyReport{};

/// Returns the value, or nothing where the condition is false.
template <class T>
[[nodiscard]] std::optional<T> when(bool condition, T value) {
  return condition ? std::optional<T>(std::move(value)) : std::nullopt;
}

/// Returns nothing for an empty text.
[[nodiscard]] inline std::optional<std::string> filled(const std::string& text) { return when(!text.empty(), text); }

/// Returns a view of each item, View{item, rest...}.
template <class View>
[[nodiscard]] std::vector<View> seen_as(const auto& items, const auto&... rest) {
  std::vector<View> views;
  for (const auto& item : items) views.push_back(View{item, rest...});
  return views;
}

/// Returns views of the items for which `holds` is true.
template <class View>
[[nodiscard]] std::vector<View> seen_where(const auto& items, const auto& holds) {
  std::vector<View> views;
  for (const auto& item : items)
    if (holds(item)) views.push_back(View{item});
  return views;
}

/// Parts of several documents. fields() names each member of a report once, for the document, its JSON Schema and the
/// stubs of Python:
///
/// v.part(NAME, DESCRIPTION)          makes the struct a part of several documents with this name
/// v.document(KIND, TITLE)            makes the struct a document
/// v(NAME, VALUE, DESCRIPTION)        writes a member that always exists; an empty optional is null
/// v(NAME, VALUE, DESCRIPTION, WORDS) writes a text that is one of these words
/// v.optional(NAME, VALUE, ...)       writes a member only if the optional has a value
/// v.either(NAMES, OTHERS)            states that either the members NAMES or OTHERS exist

inline constexpr const char* kModelPath = "Path of the model, as given.";
inline constexpr const char* kWrittenPath = "Path of the written file.";
inline constexpr const char* kSkippedSamples = "Number of unreadable samples that were skipped.";
inline constexpr const char* kCommandSeconds = "Time of the command, in seconds.";
inline constexpr const char* kReason = "The reason, in words.";
inline constexpr const char* kNotes = "Remarks, in sentences.";
inline constexpr const char* kDetections =
    "How outputs hold a detector's boxes and scores; absent where none were recognized.";
inline constexpr const char* kLabels =
    "How the boxes of --labels and those of the float model are read; absent without boxes.";
inline constexpr const char* kFloatTypes = "Conversion of the other nodes to 16-bit floats; null without one.";

void model_and_target_fields(auto& v, const auto& r) {
  v("model", r.model, kModelPath);
  v("target", r.target, "Engine and version of the placement, as in tensorrt:10.13.");
}

void node_fields(auto& v, const auto& r) {
  v("name", r.name, "Name of the node.");
  v("op", r.op, "Its operator.");
}

/// Describes a metric with its unit in a sentence.
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
  v.part("metrics", "Scores of one model on the evaluation samples; only those that were measured.");
  auto metrics = kMetrics;  // in the order of the map
  std::ranges::sort(metrics, {}, [](const Metric& metric) { return std::string_view(metric.name); });
  for (const Metric& metric : metrics) {
    const auto found = r.values.find(metric.name);
    v.optional(metric.name, found == r.values.end() ? std::nullopt : std::optional(found->second),
               description_of(metric));
  }
}

void fields(auto& v, const TypeShare& r) {
  v.part("type_share", "The part of a model that has one type.");
  v("macs", r.macs,
    "Multiply-accumulates per sample of the weighted layers that compute in the type; 0 where sizes are open.");
  v("activation_bytes", r.activation_bytes,
    "Bytes per sample of the values that nodes read in the type, each once; 0 where sizes are open.");
}

void fields(auto& v, const TypeShares& r) {
  v("int8", r.int8, "The part in codes, of activations also 16-bit ones.");
  v("half", r.half, "The part in 16-bit floats.");
  v("float32", r.float32, "The part in wider types.");
}

void fields(auto& v, const CoverageReport& r) {
  v.part("coverage",
         "Share of a model that runs in INT8, or in FP8 or A16W8 if that is the type. Layers are the weighted "
         "operators; LSTM, GRU and RNN count as layers, and an If, Loop or Scan that contains layers as a float one.");
  v("type", option_name_of(r.type), "Type of the codes, which the members called int8 count.",
    {"int8", "fp8", "a16w8"});
  v("layers", r.layers, "Number of layers.");
  v("int8_layers", r.int8_layers, "Layers that run on codes.");
  v("macs", r.macs, "Multiply-accumulates of all layers per sample; 0 where sizes are open.");
  v("int8_macs", r.int8_macs, "Those of layers that run on codes.");
  v("int16_layers", r.int16_layers, "Layers with 16-bit activations beside layers of 8 bits; not among int8_layers.");
  v("int16_macs", r.int16_macs, "Multiply-accumulates of these layers; not among int8_macs.");
  v("params", r.params, "Elements of all layers' weights.");
  v("int8_params", r.int8_params, "Those of layers that run on codes.");
  v("embedding_params", r.embedding_params, "Elements of the tables that Gather reads, of 1024 numbers and more.");
  v("int8_embedding_params", r.int8_embedding_params, "Those that are stored as codes.");
  v("activation_bytes", r.activation_bytes,
    "Bytes per sample of the values that nodes read, four per element; 0 where sizes are open.");
  v("int8_activation_bytes", r.int8_activation_bytes, "Those of values that are read as codes, also four per element.");
  v("pairs", r.pairs, "QuantizeLinear/DequantizeLinear pairs on activations.");
  v("types", r.types, "Types of computation and storage in the written file.");
  v("casts", r.casts, "Number of Cast nodes that were added.");
}

/// Writes what an output was taken for.
void meaning_fields(auto& v, const OutputReport& r) {
  v("kind", name_of(r.kind), "What it holds, which decides by what it is judged.",
    std::vector<std::string>(kOutputMeanings.begin(), kOutputMeanings.end()));
  v("reason", r.reason, "Why, in words.");
}

void fields(auto& v, const OutputReport& r) {
  v.part("output", "A judged output, and what it was taken for.");
  v("name", r.name, "Its name.");
  meaning_fields(v, r);
}

inline constexpr const char* kJudgedOutputs = "What each judged output was taken for, in the model's order.";

void fields(auto& v, const ErrorReport::Output& r) {
  v.part("output_error", "Error of one graph output against the float model's, over the samples.");
  v("name", r.name, "Name of the output.");
  v("kind", name_of(r.kind),
    "Content of the output, which decides how agreement is counted: not at all (float), positions with the same "
    "largest score (scores), elements with the same sign (signs), equal elements (integers). Of detections the SQNR is "
    "that of their boxes and scores.",
    {"float", "scores", "signs", "integers", "detections"});
  v(metrics::kSqnr.name, r.sqnr_db, "SQNR in dB; null where the outputs are equal, and for integers.");
  v(metrics::kCosine.name, r.cosine, "Cosine similarity in [-1, 1]; null for integers.");
  v("agreement", r.agreement, "Share that agrees, in [0, 1]; null where kind is float or detections.");
  v("exact", is_exact(r), "Whether every element is equal.");
}

void fields(auto& v, const ErrorReport::Detections& r) {
  v.part("detection_agreement", "Agreement of a detector's detections with those of FP32 that score .5 or more.");
  v("agreement", r.agreement, "Mean average precision over IoU .50 to .95, in [0, 1].");
  v("standard_error", r.error, "Standard error of it, by a bootstrap over the samples.");
  v("shown", r.shown, "Number of detections of FP32 that score .5 or more.");
  v("score_loss", Finite{r.score_loss}, "Mean change of their scores relative to FP32's, where both models have them.");
}

void fields(auto& v, const ErrorReport::AtStep& r) {
  v.part("step_error", "Error after some steps of a model that is fed by its own states.");
  v("step", r.step, "Number of the step, from 1 on.");
  v(metrics::kSqnr.name, r.sqnr_db, description_of(metrics::kSqnr));
  v(metrics::kCosine.name, r.cosine, description_of(metrics::kCosine));
  v(metrics::kArgmaxAgreement.name, r.argmax_agreement, description_of(metrics::kArgmaxAgreement));
}

void fields(auto& v, const ErrorReport::Sample& r) {
  v.part("sample_score", "The error of one sample, or of the samples of a batch that the model fixes.");
  v("sample", r.name, "Name of the sample, of a batch that of its first sample.");
  v(metrics::kSqnr.name, r.sqnr_db, description_of(metrics::kSqnr));
  v.optional("score", r.score, "Its score by the metric that decides; absent where that judges no single samples.");
}

inline constexpr const char* kBySample = "Each evaluation sample, in the order of the source.";

/// An error, and its samples in words.
struct MeasuredError {
  ErrorReport error = {};
  std::optional<std::string> samples = {};
};

void fields(auto& v, const MeasuredError& r) {
  v.part("error",
         "Error of the written model against the float model. Each number is that of the output where it is lowest.");
  v("samples", r.error.samples, "Number of compared samples.");
  for (const auto& [metric, member] : kErrorMetrics) v(metric.name, r.error.*member, description_of(metric));
  v.optional("outputs", when(!r.error.outputs.empty(), r.error.outputs),
             "Each compared output, in the model's order; absent without any.");
  v.optional("not_compared", when(!r.error.not_compared.empty(), r.error.not_compared),
             "Outputs that were not compared and why, in a sentence; absent where all were.");
  v.optional("detections", r.error.detections, "Agreement of detections; absent for other networks than detectors.");
  v.optional(
      "steps", when(!r.error.steps.empty(), r.error.steps),
      "Error at step 1, the middle and the last step; the other members are over all steps. Absent where samples are "
      "not cut into steps.");
  std::optional<std::array<double, 2>> interval;
  if (const auto& known = r.error.sqnr_db_interval) interval = {known->first, known->second};
  v.optional(
      "sqnr_db_interval", interval,
      "Of samples that are cut into steps: the 95 % interval of sqnr_db, by a jackknife over the samples; absent "
      "for others, and where it is not finite.");
  v.optional("by_sample", when(!r.error.by_sample.empty(), r.error.by_sample),
             "Each compared sample, in the order of the source; absent where only sums were kept.");
  v.optional("measured_on", r.samples, "The samples in words; absent for the candidates of auto.");
}

[[nodiscard]] inline std::optional<MeasuredError> measured_error(const std::optional<ErrorReport>& error,
                                                                 std::optional<std::string> samples = {}) {
  return error ? std::optional(MeasuredError{*error, std::move(samples)}) : std::nullopt;
}

void fields(auto& v, const OutlierReport::Sample& r) {
  v.part("outlier_sample", "A calibration sample that alone sets many ranges.");
  v("sample", r.sample, "Name of the sample.");
  v("values", r.values, "Number of values whose range it alone sets.");
  v("ratio", r.ratio, "Its largest magnitude over the median sample's, for the value of these where it is largest.");
}

void outlier_fields(auto& v, const OutlierReport& r) {
  v("outlier_samples", r.samples, "Calibration samples that alone set many ranges, most values first.");
}

void fields(auto& v, const Provenance& r) {
  v.part("provenance", "Provenance in the metadata of a model that Detent wrote.");
  v("producer", r.producer, "Program and version that wrote it.");
  v("target", r.target, "Engine and version that it was written for.");
  v("calibrator", r.calibrator, "Calibrator of the ranges; empty for weights alone.");
  v("ranges", r.ranges, "Fingerprint of the values' names and ranges, 32 hexadecimal digits; empty without ranges.");
  v("samples", r.samples, "Number of calibration samples; 0 for imported scales.");
  v("sample_digest", r.sample_digest,
    "Digest of the samples' names and contents, in any order; empty without samples and for weights alone.");
  v("options", r.options, "Options that differ from the target's defaults; may be empty.");
  v("source_producer", r.source_producer, "Producer of the float model; empty where it names none.");
}

void fields(auto& v, const PlanReport::WideNode& r) {
  v.part("wide_node", "A node with 16-bit activations beside nodes of 8 bits.");
  node_fields(v, r);
  v("rule", r.rule, "Rule that decided, as src/place/RULES.md names it.");
  v("reason", r.reason, kReason);
}

void fields(auto& v, const PlanReport::Attention& r) {
  v.part("attention", "A block of attention: two products with a Softmax between them, or the operator Attention.");
  v("first_product", r.first_product, "Name of the product of queries and keys.");
  v("softmax", r.softmax, "Name of the Softmax, or of the last node that computes it.");
  v("second_product", r.second_product, "Name of the product of probabilities and values.");
  v("heads", r.heads, "Number of heads of the queries; 0 where it is not known.");
  v("head_size", r.head_size, "Numbers in a head; 0 where it is not known.");
  v("queries", r.queries, "Number of queries; 0 where it is open.");
  v("keys", r.keys, "Number of keys; 0 where it is open.");
  v("masked", r.masked, "Whether a mask or a bias changes the scores.");
  v("rotary", r.rotary, "Whether positions turn queries and keys.");
  v("grouped", r.grouped, "Whether several heads of queries share keys and values.");
  v("quantized", on_codes(r.runs), "Whether its operands have pairs, in the form that the engine fuses.");
  v("rule", r.rule, "Rule that decided, as src/place/RULES.md names it.");
  v("reason", r.reason, "What it becomes, in words.");
  v("otherwise", r.otherwise, "What the other choice of --policy attention gives, in words.");
  v("macs", r.macs,
    "Multiply-accumulates of both products for one sample, no part of the coverage; 0 where sizes are open.");
}

void fields(auto& v, const BoundReport::Kept& r) {
  node_fields(v, r);
  v("reason", r.reason, "Its cost, and the bound.");
  v("mac_share", r.macs_share,
    "Share of the model's multiply-accumulates that stay float for it, or get 16-bit activations; in [0, 1].");
}

void fields(auto& v, const ScoreReport& r) {
  v.part("score", "A score of the written model and of the float model on the same samples.");
  v("metric", r.metric, "The metric.");
  v("float", r.fp32, "Of the float model; null for sqnr_db.");
  v("quantized", r.quantized, "Of the written model.");
  v("drop", r.drop, "Loss against the float model in the metric's unit; below 0 a gain; null for sqnr_db.");
  std::optional<std::array<double, 2>> interval;
  if (r.interval) interval = {r.interval->first, r.interval->second};
  v("interval", interval,
    "Bounds of the 95 % interval of the drop, for sqnr_db of the SQNR: on other samples of the kind, and in an engine "
    "that rounds "
    "sums otherwise. Null for a metric command and below two samples.");
  v("rounding_error", r.rounding_error,
    "Standard error by other rounding of sums, a part of that behind the interval; null without an interval.");
  v("samples", r.samples, "Number of samples.");
  v.optional("labels", filled(r.labels), kLabels);
}

void fields(auto& v, const BoundReport& r) {
  v.part("bound",
         "Result of a bound on the accuracy, and the layers that stay float or get 16-bit activations for it.");
  v("bound", r.bound, "The option and its value.");
  v("met", r.met, "Whether the written model meets it on these samples.");
  v("outcome", name_of(r.outcome),
    "Outcome of the bound; holds: the whole interval of the score is within the bound; not shown: the measured score "
    "is, the interval is not "
    "or is unknown; broken: the measured score is not.",
    {"holds", "not shown", "broken"});
  v("samples_needed", r.samples_needed,
    "Samples on which the interval would be within the bound with the same score; null unless the outcome is not shown "
    "and the number is known.");
  std::vector<std::string> bounded;
  for (const Metric& metric : kMetrics)
    if (metric.use == MetricUse::Decides && !metric.is_agreement()) bounded.emplace_back(metric.name);
  v("metric", r.metric, "The bounded metric.", bounded);
  v("fp32", r.fp32, "That metric of the float model; null for sqnr_db.");
  v("all_int8", r.all_int8, "That metric before the bound keeps layers float.");
  v("reached", r.reached, "That metric of the written model.");
  v(metrics::kPerplexity.name, when(r.metric == metrics::kNats.name, std::exp(r.reached)),
    "Perplexity of the written model where the metric is nats, else null.");
  v("sqnr_db_all_int8", r.sqnr_db_all_int8, "SQNR of the worst output before the bound keeps layers float, in dB.");
  v(metrics::kSqnr.name, r.sqnr_db, "SQNR of the worst output of the written model, in dB.");
  v("output", filled(r.output), "Name of the worst output; null where only one was measured.");
  v("metrics", r.metrics,
    "Metrics of labels, masks or tokens of the written model, under a bound on the SQNR; otherwise empty.");
  v("fp32_metrics", r.fp32_metrics, "The same of the float model.");
  v("kept", r.kept, "Layers and operators that stay float for the bound, or get 16-bit activations.");
  v("kept_as", r.wide ? "int16" : "float", "What they have instead of 8-bit codes: int16 for an engine without floats.",
    {"float", "int16"});
  v("samples", r.samples, "Number of samples that were judged.");
  v("measurements", r.measurements, "Number of quantized models that were run.");
  v("seconds", Finite{r.seconds}, "Time of the search, in seconds.");
}

void fields(auto& v, const VerdictReport::Blame& r) {
  v.part("blame", "A value that costs much of the accuracy.");
  v("value", r.value, "Name of the value.");
  v(metrics::kSqnr.name, r.sqnr_db, "SQNR of the value after its pair, in dB.");
  v("sqnr_db_without", r.sqnr_db_without, "SQNR of the worst output when this value alone has no pair, in dB.");
}

void verdict_fields(auto& v, const VerdictReport& r) {
  v("verdict", r.quality ? std::optional(name_of(*r.quality)) : std::nullopt,
    "Judgement of the written model; unknown where there was data and nothing could be compared; null without data or "
    "where nothing was quantized.",
    {"good", "doubtful", "broken", "unknown"});
  v("verdict_reasons", r.reasons, "Reasons of the verdict, the worst first, in words.");
  v("caveats", r.caveats, "Limits of the verdict, in sentences.");
  v("blame", r.blame, "Values that cost most, worst first; empty where the verdict is good.");
  v("cures", r.cures, "Options to try next, the likeliest first; empty where the verdict is good.");
}

void fields(auto& v, const WeightFormat& r) {
  v.part("weight_format", "Format of weights that alone are quantized.");
  v("codes", name_of(r.codes), "Type of the codes.", {"int4", "int8"});
  v("block", WeightBlock{r.block},
    "Weights under one scale, along the axis that the product sums over; channel for a whole output channel.");
}

void fields(auto& v, const FloatReport::Exception& r) {
  v("node", r.node, "Name of the node.");
  v("op", r.op_type, "Its operator.");
  v("rule", r.rule, "Id of the reason.");
  v("value", filled(r.value), "Name of the value that decides; null where the node itself does.");
  v("measured", when(!r.value.empty(), r.measured), "Measurement of that value; null where the node itself decides.");
  v("reason", r.reason, kReason);
}

void fields(auto& v, const FloatReport& r) {
  v.part("float_types", "Conversion to a 16-bit float type.");
  v("type", r.type, "The 16-bit type.", {"float16", "bfloat16"});
  v("values_measured", r.values_measured,
    "Whether samples were run; otherwise only operators, constants and structure decide which nodes stay FP32.");
  v("values_bounded", r.values_bounded,
    "Whether the scales of pairs and the weights bounded the values, because no sample was run.");
  v("half_nodes", r.half_nodes, "Number of nodes that compute in the type.");
  v("float32_nodes", r.float32_nodes, "Number of nodes that stay FP32.");
  v("casts", r.casts, "Number of Cast nodes that were added.");
  v("cut_masks", r.cut_masks, "Constants before a Softmax that were cut to the range of the type.");
  v("exceptions", r.exceptions, "The nodes that stay FP32, in execution order.");
}

void fields(auto& v, const PlanReport::Layer& r) {
  v.part("layer", "A weighted operator and its decision.");
  node_fields(v, r);
  v("int8", r.runs_on_codes(), "Whether it runs on codes of the plan's type.");
  v("dynamic", r.runs == Runs::Dynamic, "Whether its data get their scale at run time.");
  v("type", r.runs_on_codes() ? option_name_of(codes_of(r.runs)) : "float", "Type in which it runs.",
    {"int8", "fp8", "a16w8", "float"});
  v("rule", r.rule, "Rule that decided, as src/place/RULES.md names it.");
  v("reason", r.reason, kReason);
  v("macs", r.macs, "Multiply-accumulates per sample; 0 where sizes are open.");
  v("params", r.params, "Elements of its weight.");
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
  v("reason", r.layer.reason, kReason);
}

}  // namespace detent::json
