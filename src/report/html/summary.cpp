#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "report/compared_types.h"
#include "report/html/metric.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/output_errors.h"

namespace detent::html {
namespace {

using SummaryVariant = PrintedComparison::Variant;

/// Returns true for two names of one model: `auto` and the calibrator it takes.
bool same_model(const SummaryVariant& a, const SummaryVariant& b) { return a.takes == b.name || b.takes == a.name; }

/// Returns the variant closest to the winner; null when no other has a value.
const SummaryVariant* next_best(const PrintedComparison& report, const SummaryVariant& winner) {
  const SummaryVariant* best = nullptr;
  for (const auto& variant : report.variants) {
    if (same_model(variant, winner)) continue;
    const auto value = find_metric(variant.metrics, report.criterion);
    if (variant.name == report.winner || !value || std::isnan(*value)) continue;
    const double so_far = best ? best->metrics.at(report.criterion) : 0;
    if (!best || (metric_named(report.criterion).falls() ? *value < so_far : *value > so_far)) best = &variant;
  }
  return best;
}

/// Returns "2.05 points above NAME"; "level with NAME" where both are printed alike.
std::string beside(const MetricStyle& style, double value, double other, const std::string& name) {
  if (style.number(value) == style.number(other)) return "level with " + name;
  if (!std::isfinite(value - other)) return (value > other ? "above " : "below ") + name;
  return style.difference(value, other) + (value > other ? " above " : " below ") + name;
}

/// Names the candidates that score the same as the winner within the noise.
std::string certainty(const PrintedComparison& report, const SummaryVariant& winner) {
  if (report.variants.size() < 2 || !winner.score_error) return {};
  return (report.ties.empty() ? " It is " : " ") + escape(ties_text(report.ties, report.evaluation_samples)) + ".";
}

std::string summary_verdict(const PrintedComparison& report) {
  const SummaryVariant* winner = winning_variant(report);
  if (!winner) return "No variant was compared.";
  const std::string name = "<strong>" + escape(winner->name) + "</strong>" +
                           (winner->takes.empty() ? "" : ", which takes " + escape(winner->takes) + ",");
  const auto value = find_metric(winner->metrics, report.criterion);
  if (!value) return name + " is the best of " + plural(report.variants.size(), "candidate") + ".";
  const MetricStyle style = metric_style(report.criterion);
  const std::string reached = escape(style.text(*value) + " " + style.label);
  const auto fp32 = find_metric(report.fp32, report.criterion);
  std::vector<std::string> parts;
  if (const SummaryVariant* next = next_best(report, *winner))
    parts.push_back(beside(style, *value, next->metrics.at(report.criterion), "the next, " + escape(next->name)));
  if (fp32) parts.push_back(beside(style, *value, *fp32, "FP32"));
  std::string text = report.variants.size() == 1
                         ? name + " reaches " + reached
                         : name + " is the best of " + plural(report.variants.size(), "candidate") + ": " + reached;
  if (!parts.empty()) text += ". That is " + parts[0];
  if (parts.size() > 1) text += ", and " + parts[1];
  return text + "." + certainty(report, *winner);
}

/// Prints up to four numbers of the winner: the criterion, SQNR, coverage, size.
std::string key_figures(const PrintedComparison& report, const SummaryVariant& winner) {
  std::string html;
  const auto add_metric = [&](const std::string& metric) {
    const auto value = find_metric(winner.metrics, metric);
    if (!value) return;
    const MetricStyle style = metric_style(metric);
    const auto fp32 = find_metric(report.fp32, metric);
    html += figure(escape(style.text(*value)), escape(style.label),
                   fp32 ? "FP32 " + escape(style.text(*fp32)) : std::string());
  };
  add_metric(report.criterion);
  if (report.criterion == metrics::kNats.name) add_metric(metrics::kPerplexity.name);
  if (report.criterion != metrics::kSqnr.name)
    add_metric(metrics::kSqnr.name);
  else
    for (const Metric& metric : kMetrics)
      if (metric.is_agreement()) add_metric(metric.name);
  if (!report.types) html += coverage_figure(report.plan.coverage);
  return html + (winner.size_bytes > 0 ? figure(bytes_text(winner.size_bytes), "file size") : "");
}

}  // namespace

std::string summary_section(const PrintedComparison& report) {
  const SummaryVariant* winner = winning_variant(report);
  const std::string limit = report.types ? limit_text(*report.types) : std::string();
  return header_markup(
      {"Comparison of " + compared_kind(report) + "s",
       report.model,
       {"target " + escape(report.target),
        samples_fact(report.calibration_samples, "calibration", report.calibration_seconds),
        samples_fact(report.evaluation_samples, "evaluation", report.evaluation_seconds),
        report.labels.empty() ? "" : "labels: " + escape(report.labels), skipped_fact(report.skipped_samples)},
       summary_verdict(report),
       {limit.empty() ? limit : sentence(limit)},
       winner ? key_figures(report, *winner) : ""});
}

}  // namespace detent::html
