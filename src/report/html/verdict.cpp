#include <cmath>

#include "core/text.h"
#include "report/html/metric.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/score_words.h"

namespace detent::html {
namespace {

/// Joins clauses, with a no-break space before dB.
std::string joined(const std::vector<std::string>& clauses) {
  std::string text = join(clauses, ", ", escape);
  for (size_t at = text.find(" dB"); at != std::string::npos; at = text.find(" dB", at + 1))
    text.replace(at, 1, "\u00A0");
  return text;
}

/// Returns "Broken: SQNR −2.9 dB at 'logits', ..." with a coloured first word.
std::string headline(const VerdictReport& verdict, bool measured) {
  if (!verdict.quality)
    return std::string("<strong>No verdict</strong>: ") +
           (measured ? "there is nothing to judge." : "no error was measured.");
  std::string word(name_of(*verdict.quality));
  const std::string colour = word;
  word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return "<strong class=\"" + colour + "\">" + word + "</strong>: " + joined(verdict.reasons) + ".";
}

/// Returns "Try --min-sqnr 20, which keeps layers float." with the option in code type.
std::string cure(const std::string& text) {
  const size_t end = text.starts_with("--") ? std::min(text.find(','), text.size()) : 0;
  const std::string option = end ? "<code>" + escape(text.substr(0, end)) + "</code>" : std::string();
  return "Try " + option + escape(text.substr(end)) + ".";
}

std::string labels_of(const ScoreReport& score) {
  return score.labels.empty() ? std::string() : " Labels: " + escape(score.labels) + ".";
}

/// Returns the outcome of the bound, the scores and the samples.
std::string bound(const BoundReport& report) {
  const MetricStyle style = metric_style(report.metric);
  constexpr const char* kHeads[] = {" holds", " is met, but not shown", " could not be met"};
  std::string text = escape(report.bound) + kHeads[static_cast<size_t>(report.outcome)] + ": " + escape(style.label) +
                     " " + escape(style.text(report.reached));
  if (report.metric == metrics::kNats.name) text += " (perplexity " + fixed_text(std::exp(report.reached), 3) + ")";
  if (report.fp32) text += ", FP32 " + escape(style.text(*report.fp32));
  for (const auto& [metric, value] : report.metrics) {
    const MetricStyle beside = metric_style(metric);
    text += ", " + escape(beside.label) + " " + escape(beside.text(value));
    if (const auto fp32 = report.fp32_metrics.find(metric); fp32 != report.fp32_metrics.end())
      text += " (FP32 " + escape(beside.text(fp32->second)) + ")";
  }
  if (!report.kept.empty())
    text += ", without the bound " + escape(style.text(report.all_int8)) +
            (report.wide ? "; with 16-bit activations for it: " : "; kept float for it: ") +
            std::to_string(report.kept.size());
  return text + "; on " + plural(report.samples, "sample") + ". " + sentence(outcome_text(report)) +
         labels_of(report.score);
}

/// Returns the scores that were measured without a bound.
std::string measured_score(const ScoreReport& score) {
  const MetricStyle style = metric_style(score.metric);
  return escape(style.label) + " " + escape(style.text(score.quantized)) +
         (score.fp32 ? ", FP32 " + escape(style.text(*score.fp32)) : std::string()) + "; " +
         escape(interval_text(score)) + "; on " + plural(score.samples, "sample") + "." + labels_of(score);
}

/// Lists the result of the bound or the score, the limits of the verdict, and the options to try.
template <class Report>
std::vector<std::string> verdict_advice(const Report& report) {
  const VerdictReport& verdict = report.verdict;
  std::vector<std::string> items;
  if (report.bound)
    items.push_back(bound(*report.bound));
  else if (report.score)
    items.push_back(measured_score(*report.score));
  for (const std::string& caveat : verdict.caveats) items.push_back(sentence(caveat));
  for (const std::string& text : verdict.cures) items.push_back(cure(text));
  return items;
}

std::string error_figures(const std::optional<ErrorReport>& measured) {
  if (!measured) return {};
  const ErrorReport& error = *measured;
  std::string html;
  if (error.sqnr_db)
    html = figure(decibels(*error.sqnr_db), error.outputs.size() > 1 ? "SQNR of the worst output" : "SQNR",
                  "on " + plural(error.samples, "sample"));
  for (const auto& [metric, member] : kErrorMetrics) {
    if (!metric.is_agreement() || !(error.*member)) continue;
    const MetricStyle style = metric_style(metric.name);
    html += figure(escape(style.text(*(error.*member))), escape(style.label) + " as FP32");
  }
  return html;
}

/// Returns a size beside that of the float model; "" for 0.
std::string size_figure(uint64_t bytes, const char* label, const std::string& float_type, uint64_t float_bytes) {
  return bytes == 0 ? "" : figure(bytes_text(bytes), label, float_type + " " + bytes_text(float_bytes));
}

}  // namespace

std::string summary_section(const QuantizeReport& report) {
  return header_markup({"Quantization",
                        report.model,
                        {"target " + escape(report.target),
                         "calibrator " + escape(report.calibrator) + (report.measured ? " (auto)" : ""),
                         report.table.empty() ? "" : "ranges from " + escaped_file_name(report.table),
                         report.samples > 0 || report.table.empty()
                             ? samples_fact(report.samples, "calibration", report.calibration_seconds)
                             : "",
                         skipped_fact(report.skipped_samples), "written to " + escaped_file_name(report.output)},
                        headline(report.verdict, report.error.has_value()),
                        verdict_advice(report),
                        error_figures(report.error) + coverage_figure(report.plan.coverage) +
                            size_figure(report.output_bytes, "file size", "FP32", report.model_bytes)});
}

std::string summary_section(const QuantizeWeightsReport& report) {
  return header_markup(
      {"Weights alone",
       report.model,
       {"target " + escape(report.target), format_text(report.format),
        report.rounding ? samples_fact(report.rounding->samples, "rounding", report.rounding->seconds) : "",
        "written to " + escaped_file_name(report.output)},
       headline(report.verdict, report.error.has_value()),
       verdict_advice(report),
       error_figures(report.error) +
           size_figure(report.weight_bytes, "quantized weights", "float", report.float_weight_bytes) +
           size_figure(report.output_bytes, "file size", "FP32", report.model_bytes)});
}

}  // namespace detent::html
