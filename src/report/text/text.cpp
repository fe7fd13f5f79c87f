#include "report/text/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/code_words.h"
#include "report/output_errors.h"
#include "report/quantities.h"
#include "report/text/columns.h"
#include "report/text/plan_lines.h"

namespace detent {

namespace {

constexpr size_t kLinesShown = 20;  // of a list whose lines differ

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string measurement_text(const CalibratorMeasurement& measured) {
  std::string text =
      "measured " + plural(measured.candidates.size(), "calibrator") + " on " + measured_on_text(measured) +
      fmt::format(" in {:.1f} s; score: half the mean of the samples' SQNR, half the SQNR of their mean noise\n",
                  measured.seconds);
  Table table{{{"", Kind::Name, "", 17}, {"", Kind::Number, "", 8}}};
  table.margin = "    ";
  for (size_t i = 0; i < measured.candidates.size(); ++i) {
    const auto& candidate = measured.candidates[i];
    const bool exact = std::isinf(candidate.score_db) && candidate.score_db > 0;
    Table::Row row{{{candidate.calibrator}, {exact ? "exact" : fmt::format("{:.2f} dB", candidate.score_db)}}};
    if (const auto& share = candidate.error.argmax_agreement)
      row.behind += ", argmax agreement " + percent_text(*share, 2);
    if (const auto& share = candidate.error.sign_agreement) row.behind += ", sign agreement " + percent_text(*share, 2);
    if (candidate.error.samples < measured.samples) row.behind += ", on " + plural(candidate.error.samples, "sample");
    if (i == measured.winner) row.badge = "taken";
    if (i == measured.winner && measured.highest != i) row.behind += "; " + choice_text(measured);
    table.rows.push_back(std::move(row));
  }
  return text + to_text(table);
}

/// A line for each step.
std::string steps_text(const AccuracyReport& accuracy) {
  std::string text;
  for (const AccuracyReport::Step& step : accuracy.steps) {
    text += fmt::format("accuracy {}: {:12} ", accuracy.level, step.name);
    if (!step.before_db || !step.after_db)
      text += "not measured, left as they are: " + step.reason;
    else
      text += step.changed + ", " + change_text(*step.before_db, *step.after_db) + " on " +
              plural(step.samples, "sample") + (step.kept ? ", kept" : ", dropped") +
              (step.reason.empty() ? "" : ": " + step.reason);
    text += fmt::format(" ({:.1f} s)\n", step.seconds);
  }
  return text;
}

std::string kept_float_text(const PlanReport& plan, Listing& listing) {
  std::vector<const PlanReport::Layer*> layers;
  for (const auto& layer : plan.layers)
    if (!layer.int8) layers.push_back(&layer);
  const std::vector<std::string> lines = layer_lines(layers, listing);
  const size_t shown = listing.shown(lines.size(), kLinesShown);
  std::string text;
  for (size_t i = 0; i < shown; ++i) text += "kept float: " + lines[i] + "\n";
  if (shown < lines.size())
    text += "kept float: " + std::to_string(lines.size() - shown) + " more, each for its own reason\n";
  return text;
}

std::string notes_text(const std::vector<std::string>& notes, Listing& listing) {
  const std::vector<std::string> sentences = listing.sentences(notes);
  const size_t shown = listing.shown(sentences.size(), kLinesShown);
  std::string text;
  for (size_t i = 0; i < shown; ++i) text += "note: " + sentences[i] + "\n";
  if (shown < sentences.size()) text += "note: " + std::to_string(sentences.size() - shown) + " more of other kinds\n";
  return text;
}

/// ", top1 0.8125 (FP32 0.8200)": of labels beside a bound on the SQNR.
std::string metric_beside(const std::string& metric, double value, const std::map<std::string, double>& fp32) {
  const auto of_float = fp32.find(metric);
  return fmt::format(", {} {:.4f}", metric, value) +
         (of_float == fp32.end() ? std::string() : fmt::format(" (FP32 {:.4f})", of_float->second));
}

std::string score_text(const BoundReport& report, double score) {
  const Metric& metric = metric_named(report.metric);
  if (metric == metrics::kSqnr)
    return fmt::format("SQNR {:.1f} dB", score) + (report.output.empty() ? "" : " at the worst output");
  if (metric == metrics::kNats)
    return loss_text(metric, score) + ", perplexity " + metric_text(metrics::kPerplexity, std::exp(score));
  const bool is_share = metric.unit == MetricUnit::Fraction;
  return metric.title + (" " + (is_share ? percent_text(score, metric.decimals) : metric_text(metric, score)));
}

}  // namespace

std::string bound_text(const BoundReport& report) {
  std::string text = report.bound + (report.met ? ": " : " NOT MET: ") + score_text(report, report.reached);
  if (report.fp32) text += " (FP32 " + score_text(report, *report.fp32) + ")";
  for (const auto& [metric, value] : report.metrics) text += metric_beside(metric, value, report.fp32_metrics);
  if (!report.kept.empty()) text += ", all INT8 " + score_text(report, report.all_int8);
  text += "; on " + plural(report.samples, "sample") + ", " + plural(report.measurements, "measurement") +
          fmt::format(" in {:.1f} s\n", report.seconds);
  for (const auto& item : report.kept)  // layers are listed with the others
    if (!item.weighted) text += "kept float: " + item.name + " (" + item.op + ")  " + item.reason + "\n";
  return text;
}

std::string verdict_text(const VerdictReport& verdict) {
  std::string text = "verdict: ";
  text += verdict.quality ? name_of(*verdict.quality) : "none";
  for (size_t i = 0; i < verdict.reasons.size(); ++i) text += (i ? ", " : " (") + verdict.reasons[i];
  if (!verdict.reasons.empty()) text += ")";
  text += "\n";
  for (const std::string& caveat : verdict.caveats) text += "  " + caveat + "\n";
  return text;
}

std::string error_text(const ErrorReport& error, const std::string& source, Listing& listing) {
  return "error against FP32 on " + plural(error.samples, "sample") + ": " + worst_error_text(error) +
         (source.empty() ? "" : "; measured on " + source) + "\n" + outputs_text(error.outputs, listing);
}

namespace {

std::string saturation_text(const SaturationReport& report) {
  if (report.cpu == Cpu::Any && report.raised > 0)
    return "same on every x86 CPU: " + std::to_string(report.raised) + " of " +
           plural(report.channels, "weight scale") +
           fmt::format(" raised, by {:.2f} on average, so that CPUs without VNNI do not saturate\n",
                       report.mean_factor);
  if (report.unsafe_pairs == 0) return "same on every x86 CPU: no pair of weights can saturate\n";
  return "x86 CPUs without VNNI saturate: " + plural(static_cast<size_t>(report.unsafe_pairs), "pair") +
         " of weights in " + plural(report.unsafe_layers, "layer") +
         (report.error ? "; error there: " + worst_error_text(*report.error) : std::string()) + "\n";
}

}  // namespace

std::string unmet_text(const BoundReport& report) {
  return report.bound + " cannot be met with any layer in INT8 that was tried: the best reaches " +
         score_text(report, report.reached) +
         (report.fp32 ? ", FP32 " + score_text(report, *report.fp32) : std::string()) + "; it was written";
}

std::string to_text(const QuantizeReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = file_name(report.model) + "  opset " + std::to_string(report.opset) + ", " +
                     plural(report.nodes, "node") + ", " + bytes_text(static_cast<double>(report.model_bytes)) +
                     "     target " + report.target + "\n";
  text += report.table.empty() ? "calibrated " + plural(report.samples, "sample") +
                                     fmt::format(" in {:.1f} s", report.calibration_seconds)
                               : "ranges from " + report.table +
                                     (report.samples ? " (" + plural(report.samples, "sample") + ")" : " (imported)");
  if (report.table.empty() && report.calibration_seconds > 0)
    text += fmt::format(" ({:.0f}/s)", static_cast<double>(report.samples) / report.calibration_seconds);
  text += fmt::format(", peak {:.0f} MB", report.peak_mb) + "     calibrator " + report.calibrator +
          (report.measured ? " (auto)" : "") + "\n";
  if (report.measured) text += measurement_text(*report.measured);
  if (report.skipped_samples) text += "skipped " + plural(report.skipped_samples, "unreadable sample") + "\n";
  text += outlier_text(report.outliers, listing);
  if (report.equalized) text += equalize_text(*report.equalized, listing);
  if (report.bias_correction && report.accuracy.steps.empty()) text += bias_correction_text(*report.bias_correction);
  text += steps_text(report.accuracy);
  if (report.plan.folded_batchnorms)
    text += "folded " + std::to_string(report.plan.folded_batchnorms) + " BatchNormalization into weights\n";
  if (report.written_opset != report.opset)
    text += "raised opset from " + std::to_string(report.opset) + " to " + std::to_string(report.written_opset) + "\n";
  text += "placed " + plural(static_cast<size_t>(report.plan.coverage.pairs), "pair") + " on " +
          plural(report.plan.quantized_values, "value") + "; " + coverage_text(report.plan.coverage);
  if (report.plan.shared_scale_groups)
    text += ", " + plural(report.plan.shared_scale_groups, "group") + " of shared scales";
  text += "\n";
  text += kept_float_text(report.plan, listing);
  if (report.bound) text += in_words_of(report.plan.coverage.type, bound_text(*report.bound));
  if (report.floats) text += float_text(*report.floats, listing);
  text += types_text(report.plan.coverage.types, report.plan.coverage.type);
  text += notes_text(report.notes, listing);
  text += report.error ? error_text(*report.error, report.error_source, listing)
                       : "error against FP32: not measured: no data\n";
  if (report.saturation) text += saturation_text(*report.saturation);
  return text + "wrote " + report.output + " (" + bytes_text(static_cast<double>(report.output_bytes)) + ")\n" +
         listing.closing() + verdict_text(report.verdict);
}

namespace {

/// "Resize 2, Cast 3" over the lines of one outcome, most frequent first; empty when there is none.
std::string operators_text(const char* title, const VerifyReport& report, VerifyReport::Line::Outcome outcome) {
  std::map<std::string, size_t> counts;
  for (const auto& line : report.lines) {
    if (line.outcome != outcome) continue;
    for (const std::string& name : line.operators) ++counts[name];
    if (line.operators.empty()) ++counts["(other)"];
  }
  if (counts.empty()) return {};
  std::vector<std::pair<std::string, size_t>> ranked(counts.begin(), counts.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = title;
  for (size_t i = 0; i < ranked.size(); ++i)
    text += (i ? ", " : " ") + ranked[i].first + " " + std::to_string(ranked[i].second);
  return text + "\n";
}

}  // namespace

std::string to_text(const VerifyReport::Line& line) {
  using Outcome = VerifyReport::Line::Outcome;
  const char* outcome = line.outcome == Outcome::Passed   ? "passed     "
                        : line.outcome == Outcome::Failed ? "FAILED     "
                                                          : "unsupported";
  std::string text = std::string(outcome) + "  " + line.folder + "/" + line.model;
  // Integers that differ have no such error, and what could not be compared has none either.
  if (line.worst_relative_error > 0)
    text += fmt::format("  worst error {:.1e} of the largest value", line.worst_relative_error);
  else if (line.outcome == Outcome::Passed)
    text += "  exact";
  if (!line.detail.empty()) text += "  " + line.detail;
  return text + "\n";
}

std::string summary_text(const VerifyReport& report) {
  using Outcome = VerifyReport::Line::Outcome;
  std::string text = operators_text("failed by operator:     ", report, Outcome::Failed) +
                     operators_text("unsupported by operator:", report, Outcome::Unsupported);
  return text + std::to_string(report.passed) + " passed, " + std::to_string(report.failed) + " failed, " +
         std::to_string(report.unsupported) + " unsupported\n";
}

std::string to_text(const RunReport& report) {
  std::string text = "ran " + plural(report.samples, "sample") + fmt::format(" in {:.2f} s", report.seconds);
  if (report.seconds > 0) text += fmt::format(" ({:.1f}/s)", static_cast<double>(report.samples) / report.seconds);
  text += "\n";
  if (report.skipped_samples) text += "skipped " + plural(report.skipped_samples, "unreadable sample") + "\n";
  for (const auto& path : report.written) text += "wrote " + path.string() + "\n";
  if (report.profile) text += "\n" + to_text(*report.profile);
  return text;
}

}  // namespace detent
