#pragma once

#include <map>
#include <optional>
#include <string>

#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/sensitivity.h"
#include "report/document/document.h"
#include "report/quantities.h"

namespace detent::build {

/// Sections of several documents. One without parts is not printed.

/// Parts of a plan that the text of a document lists.
enum class Listed : uint8_t {
  Everything,   ///< layers, pairs, attention and notes, each under a heading
  FloatLayers,  ///< layers that stay float
  Nothing       ///< unless everything is listed
};
/// Lists layers and edges with the decision and its reason, blocks of attention, nodes of 16 bits, and notes.
[[nodiscard]] document::Section placement(const PlanReport& plan, Listed listed);
/// Shares on codes and, where something is half, those on codes, in half and in FP32.
[[nodiscard]] document::Section coverage(const PlanReport& plan);
/// Counts what decides the speed with TensorRT, and lists the quantizers that would be layers by themselves.
[[nodiscard]] document::Section quantizers(const PlanReport& plan);
/// Says what tables of measured latencies expect of the plan, one a machine.
[[nodiscard]] document::Section forecasts(const PlanReport& plan);
/// Nodes in the 16-bit type, and those that stay FP32 with their reasons.
[[nodiscard]] document::Section floats(const std::optional<FloatReport>& report);
/// Says in front of everything that the work ended early, and what is missing; nothing where it ran to its end.
void add_early_end(document::Document& document, const EarlyEndReport& ended);
/// Says in front of everything what is wrong with the input of the float model, and the command that cures it.
/// always  also where nothing is
void add_input_check(document::Document& document, const InputCheckReport& check, bool always);
/// Lists what lint finds, worst first.
[[nodiscard]] document::Section findings(const LintReport& report);
/// The graph as it is drawn.
[[nodiscard]] document::Section graph(const PlanReport& plan, const std::vector<LintReport::Finding>& findings = {});
/// Says where rules and scale groups are explained.
[[nodiscard]] document::Words rules_words();
/// The table of shares by type; no rows where nothing is half.
[[nodiscard]] document::Grid type_shares(const CoverageReport& coverage);
/// "14 of 18 weighted layers INT8 (95.4 % of MACs)".
[[nodiscard]] document::Words coverage_words(const CoverageReport& coverage);
/// The share of MACs on codes, large; none where MACs are not known.
[[nodiscard]] std::vector<document::Figures::Figure> coverage_figures(const CoverageReport& coverage);
/// "opset 17".
[[nodiscard]] inline document::Words opset_words(int64_t opset) { return {"opset ", document::count(opset)}; }
/// Facts beside a model's name: opset and nodes.
[[nodiscard]] std::vector<document::Words> model_facts(const auto& report) {
  return {opset_words(report.opset), document::count(report.nodes, "node")};
}
/// "skipped 3 unreadable samples"; empty without any.
[[nodiscard]] inline document::Words skipped_words(size_t samples) {
  return samples == 0 ? document::Words() : document::Words{"skipped ", document::count(samples, "unreadable sample")};
}
/// "12 samples", "12 samples of 40 steps"
[[nodiscard]] inline document::Words samples_words(size_t samples, size_t steps) {
  document::Words words{document::count(samples, "sample")};
  if (steps > 0) words += {" of ", document::count(steps, "step")};
  return words;
}
/// Says who fed the states; empty for whole samples.
[[nodiscard]] inline document::Words states_words(size_t steps) {
  return steps > 0 ? document::Words(", over all steps of each model fed by its own states,") : document::Words();
}
/// "3 com.microsoft.FusedConv, 1 com.microsoft.Attention"
[[nodiscard]] document::Words expanded_words(const std::map<std::string, int64_t>& operators);

// ---- Of measured models

/// Adds the judgement to what the document says first: the quality with its reasons, limits, values to blame, cures.
void add_verdict(document::Document& document, const VerdictReport& verdict, const std::optional<ErrorReport>& error);
/// "INT4 in blocks of 32" or "INT8 with one scale a channel".
[[nodiscard]] document::Words format_words(const WeightFormat& format);
/// Adds the bound with its scores, its outcome, and operators without weights that stay float for it.
void add_bound(document::Document& document, const BoundReport& report);
/// Adds the score that was measured without a bound.
void add_score(document::Document& document, const ScoreReport& score);
/// True where a search by latency wrote the float model, or a cast of it.
[[nodiscard]] bool is_without_pairs(const std::optional<LatencyReport>& report);
/// Adds the speed of the written file; a warning where it has no pairs.
/// codes  of the file with pairs: "INT8"
void add_speed(document::Document& document, const LatencyReport& report, std::string_view codes);
/// Lists the files that a search by latency tried, and the parts of the network that gained.
[[nodiscard]] document::Section latency(const std::optional<LatencyReport>& report);
/// Lists the values to blame, with links to their histograms; no part without them.
[[nodiscard]] document::Section blame(const VerdictReport& verdict, const std::vector<ValueHistogram>& histograms = {});
/// "SQNR 31.7 dB", "top-1 78.50 %", "1.4231 nats a token, perplexity 4.150".
[[nodiscard]] document::Words score_words(const Metric& metric, double score);
[[nodiscard]] document::Words score_words(const BoundReport& bound, double score);
/// "drop 0.50 points of top-1, 95 % interval -0.20 to 1.20"; why there is no interval.
[[nodiscard]] document::Words interval_words(const ScoreReport& score);
/// "not shown: drop ...; it would be within the bound on about 900 samples with the same score".
[[nodiscard]] document::Words outcome_words(const BoundReport& bound);
/// "--max-drop 0.01 cannot be met ...".
[[nodiscard]] document::Words unmet_words(const BoundReport& bound);

/// Says how far the outputs are from those of another model, and lists them, worst first.
/// what    "error against FP32"
/// source  names the samples; may be empty
[[nodiscard]] document::Section error(const std::optional<ErrorReport>& report, const document::Words& what,
                                      const std::string& source = {});
/// "classes: 10 classes on axis 1: of a Softmax".
[[nodiscard]] document::Words meaning_words(const OutputReport& output);
/// Says what the judged outputs were taken for.
[[nodiscard]] document::Section meanings(const std::vector<OutputReport>& outputs);
/// Lists outputs, worst first; a single one only where everything is listed.
[[nodiscard]] document::Grid outputs_table(const std::vector<ErrorReport::Output>& outputs);
/// "SQNR 31.7 dB at 'logits', the worst of 2 outputs".
[[nodiscard]] document::Words worst_words(const ErrorReport& error);
/// "SQNR 31.7 dB, cosine 0.99967, argmax agreement 99.50 %"; "exact".
[[nodiscard]] document::Words error_words(const ErrorReport::Output& output);
/// The SQNR and the agreements, large.
[[nodiscard]] std::vector<document::Figures::Figure> error_figures(const std::optional<ErrorReport>& error);

/// The SQNR at the output with one layer quantized, and with all others; no part without layers.
/// top  layers and values in capped texts
[[nodiscard]] document::Section sensitivity(const SensitivityReport& report, size_t top = 20);
/// The errors of single values by name.
[[nodiscard]] std::map<std::string, double> own_errors(const SensitivityReport& report);
/// Samples that alone set the range of many values.
[[nodiscard]] document::Section outliers(const OutlierReport& report);
/// The candidates that "auto" measured.
[[nodiscard]] document::Section choice(const std::optional<CalibratorMeasurement>& measured);
/// The families that were tried, the imbalance of channels, and the gain of bias correction.
[[nodiscard]] document::Section equalization(const std::optional<EqualizeReport>& report,
                                             const std::optional<BiasCorrectionReport>& correction = std::nullopt);
/// The gain of each step of the accuracy level.
[[nodiscard]] document::Section accuracy(const AccuracyReport& report);
/// Draws values with their ranges; no part without values.
[[nodiscard]] document::Section values(document::Histograms view);
/// Lists the ranges and scales of values. imported: pages have no histograms of them
[[nodiscard]] document::Section scales(const std::vector<QuantizeReport::QuantizedValue>& values, bool imported);
/// Draws detections of both models.
[[nodiscard]] document::Section detections(const std::optional<DetectionPictures>& shown);
/// The provenance in the written file.
[[nodiscard]] document::Section provenance(const Provenance& provenance, const std::optional<FloatReport>& floats);

}  // namespace detent::build
