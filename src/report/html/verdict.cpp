#include <cmath>

#include "core/text.h"
#include "report/html/figures.h"
#include "report/html/markup.h"
#include "report/html/metric.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"
#include "report/weight_format.h"

namespace detent::html {
namespace {

/// With a unit on the line of its number.
std::string joined(const std::vector<std::string>& clauses) {
  std::string text = join(clauses, ", ", escape);
  for (size_t at = text.find(" dB"); at != std::string::npos; at = text.find(" dB", at + 1))
    text.replace(at, 1, "\u00A0");
  return text;
}

/// "Broken: SQNR −2.9 dB at 'logits', ...": the first word in the colour of what it means.
std::string headline(const VerdictReport& verdict, bool measured) {
  if (!verdict.quality)
    return std::string("<strong>No verdict</strong>: ") +
           (measured ? "there is nothing to judge." : "no error was measured.");
  std::string word(name_of(*verdict.quality));
  const std::string colour = word;
  word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return "<strong class=\"" + colour + "\">" + word + "</strong>: " + joined(verdict.reasons) + ".";
}

/// "--min-sqnr 20, which keeps layers float": the option in code type.
std::string cure(const std::string& text) {
  const size_t end = text.starts_with("--") ? std::min(text.find(','), text.size()) : 0;
  const std::string option = end ? "<code>" + escape(text.substr(0, end)) + "</code>" : std::string();
  return "<li>Try " + option + escape(text.substr(end)) + ".</li>";
}

std::string bound(const BoundReport& report) {
  const MetricStyle style = metric_style(report.metric);
  std::string text = "<li>" + escape(report.bound) + (report.met ? " holds" : " could not be met") + ": " +
                     escape(style.label) + " " + escape(style.text(report.reached));
  if (report.metric == metrics::kNats.name) text += " (perplexity " + fixed_text(std::exp(report.reached), 3) + ")";
  if (report.fp32) text += ", FP32 " + escape(style.text(*report.fp32));
  for (const auto& [metric, value] : report.metrics) {
    const MetricStyle beside = metric_style(metric);
    text += ", " + escape(beside.label) + " " + escape(beside.text(value));
    if (const auto fp32 = report.fp32_metrics.find(metric); fp32 != report.fp32_metrics.end())
      text += " (FP32 " + escape(beside.text(fp32->second)) + ")";
  }
  if (!report.kept.empty())
    text += ", all in INT8 " + escape(style.text(report.all_int8)) +
            "; kept float for it: " + std::to_string(report.kept.size());
  return text + "; on " + plural(report.samples, "sample") + ".</li>";
}

/// What one must know to trust the verdict, and what to do about it.
std::string verdict_advice(const VerdictReport& verdict, const std::optional<BoundReport>& kept) {
  std::string items = kept ? bound(*kept) : std::string();
  for (const std::string& caveat : verdict.caveats) items += "<li>" + sentence(caveat) + "</li>";
  for (const std::string& text : verdict.cures) items += cure(text);
  return items.empty() ? items : "<ul class=\"notes advice\">" + items + "</ul>";
}

std::string error_figures(const std::optional<ErrorReport>& measured) {
  std::string html;
  if (measured) {
    const ErrorReport& error = *measured;
    const bool several = error.outputs.size() > 1;
    if (error.sqnr_db)
      html += figure(decibels(*error.sqnr_db), several ? "SQNR of the worst output" : "SQNR",
                     "on " + plural(error.samples, "sample"));
    for (const auto& [metric, member] : kErrorMetrics) {
      if (!metric.is_agreement() || !(error.*member)) continue;
      const MetricStyle style = metric_style(metric.name);
      html += figure(escape(style.text(*(error.*member))), escape(style.label) + " as FP32");
    }
  }
  return html;
}

/// Of the written file, beside that of the float model.
std::string size_figure(uint64_t bytes, uint64_t float_bytes) {
  if (bytes == 0) return {};
  return figure(bytes_text(static_cast<double>(bytes)), "file size",
                "FP32 " + bytes_text(static_cast<double>(float_bytes)));
}

std::string listed_figures(const std::string& figures) {
  return figures.empty() ? figures : "<dl class=\"figures\">" + figures + "</dl>";
}

std::string verdict_facts(const QuantizeReport& report) {
  std::string html = "<ul class=\"facts\"><li>target " + escape(report.target) + "</li><li>calibrator " +
                     escape(report.calibrator) + (report.measured ? " (auto)" : "") + "</li>";
  if (!report.table.empty()) html += "<li>ranges from " + escaped_file_name(report.table) + "</li>";
  if (report.samples > 0 || report.table.empty())
    html += samples_fact(report.samples, "calibration", report.calibration_seconds);
  return html + skipped_fact(report.skipped_samples) + "<li>written to " + escaped_file_name(report.output) +
         "</li></ul>";
}

}  // namespace

std::string summary_section(const QuantizeReport& report) {
  return "<header id=\"summary\"><p class=\"eyebrow\">Quantization</p><h1>" + escaped_file_name(report.model) +
         "</h1>" + verdict_facts(report) + "<p class=\"verdict\">" +
         headline(report.verdict, report.error.has_value()) + "</p>" + verdict_advice(report.verdict, report.bound) +
         listed_figures(error_figures(report.error) + coverage_figure(report.plan.coverage) +
                        size_figure(report.output_bytes, report.model_bytes)) +
         "</header>\n";
}

std::string summary_section(const QuantizeWeightsReport& report) {
  const std::string weights = report.weight_bytes == 0
                                  ? std::string()
                                  : figure(bytes_text(static_cast<double>(report.weight_bytes)), "quantized weights",
                                           "float " + bytes_text(static_cast<double>(report.float_weight_bytes)));
  return "<header id=\"summary\"><p class=\"eyebrow\">Weights alone</p><h1>" + escaped_file_name(report.model) +
         "</h1><ul class=\"facts\"><li>target " + escape(report.target) + "</li><li>" + format_text(report.format) +
         "</li>" +
         (report.rounding ? samples_fact(report.rounding->samples, "rounding", report.rounding->seconds) : "") +
         "<li>written to " + escaped_file_name(report.output) + "</li></ul><p class=\"verdict\">" +
         headline(report.verdict, report.error.has_value()) + "</p>" + verdict_advice(report.verdict, report.bound) +
         listed_figures(error_figures(report.error) + weights + size_figure(report.output_bytes, report.model_bytes)) +
         "</header>\n";
}

}  // namespace detent::html
