#include "report/text/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>

#include "report/build/documents.h"
#include "report/build/sections.h"
#include "report/output_errors.h"
#include "report/score_words.h"
#include "report/text/document.h"

namespace detent {

namespace {

constexpr size_t kLinesShown = 20;

/// Prints the candidates in a table, for Lists::All.
std::string candidates_text(const CalibratorMeasurement& measured) {
  Table table{{{"", Kind::Name, "", 17}, {"", Kind::Number, "", 8}}};
  table.margin = "    ";
  for (size_t i = 0; i < measured.candidates.size(); ++i) {
    const auto& candidate = measured.candidates[i];
    Table::Row row{{{candidate.calibrator}, {metric_text(metrics::kSqnr, candidate.score_db)}}};
    if (const auto& share = candidate.error.argmax_agreement)
      row.behind += ", argmax agreement " + percent_text(*share, 2);
    if (const auto& share = candidate.error.sign_agreement) row.behind += ", sign agreement " + percent_text(*share, 2);
    if (candidate.error.samples < measured.samples) row.behind += ", on " + plural(candidate.error.samples, "sample");
    if (i == measured.winner) row.badge = "taken";
    table.rows.push_back(std::move(row));
  }
  return "  score: " + std::string(kScoreMeaning) + "\n" + to_text(table);
}

/// Returns "mse 32.35 dB, then percentile:99.99 32.15 dB, samplemax:50 31.49 dB, 8 more": the winner, and the highest
/// scores of those measured on most samples.
std::string ranking_text(const CalibratorMeasurement& measured) {
  constexpr size_t kRanked = 4;
  std::vector<size_t> order(measured.candidates.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t i) {
    const auto& candidate = measured.candidates[i];
    return std::tuple(i == measured.winner, candidate.error.samples, candidate.score_db);
  });
  const size_t shown = std::min(order.size(), kRanked);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const auto& candidate = measured.candidates[order[i]];
    text += i == 0 ? "" : i == 1 ? ", then " : ", ";
    text += candidate.calibrator + " " + metric_text(metrics::kSqnr, candidate.score_db);
  }
  return text + (order.size() > shown ? fmt::format(", {} more", order.size() - shown) : "");
}

/// Returns the reason for the winner, after "; ", where the scores do not show it.
std::string why_taken_text(const CalibratorMeasurement& measured) {
  if (measured.highest != measured.winner) return "; " + choice_text(measured);
  constexpr double kTold = 0.01;  // a smaller difference in agreement is noise
  const auto agreement = [&](size_t i) { return measured.candidates[i].error.argmax_agreement.value_or(0); };
  for (size_t i = 0; i < measured.candidates.size(); ++i)
    if (measured.candidates[i].error.samples == measured.samples && agreement(i) >= agreement(measured.winner) + kTold)
      return "; chosen by SQNR: argmax agreement is " + percent_text(agreement(measured.winner), 2) + ", with " +
             measured.candidates[i].calibrator + " " + percent_text(agreement(i), 2);
  return {};
}

std::string measurement_text(const CalibratorMeasurement& measured, Listing& listing) {
  std::string text = "measured " + plural(measured.candidates.size(), "calibrator") + " on " +
                     measured_on_text(measured) + fmt::format(" in {:.1f} s: ", measured.seconds) +
                     ranking_text(measured) + why_taken_text(measured) + "\n";
  if (listing.all()) text += candidates_text(measured);
  return text;
}

/// Prints a line for each step.
std::string steps_text(const AccuracyReport& accuracy) {
  std::string text;
  for (const AccuracyReport::Step& step : accuracy.steps) {
    text += fmt::format("accuracy {}: {:12} ", accuracy.level, step.name);
    if (!step.before_db || !step.after_db)
      text += "not measured, not changed: " + step.reason;
    else
      text += step.changed + ", " + change_text(*step.before_db, *step.after_db) + " on " +
              plural(step.samples, "sample") + (step.kept ? ", kept" : ", dropped") +
              (step.reason.empty() ? "" : ": " + step.reason);
    text += fmt::format(" ({:.1f} s)\n", step.seconds);
  }
  return text;
}

/// Prints the first lines with a prefix, and the number of the others.
std::string capped_text(const char* prefix, const std::vector<std::string>& lines, const char* rest, Listing& listing) {
  const size_t shown = listing.shown(lines.size(), kLinesShown);
  std::string text;
  for (size_t i = 0; i < shown; ++i) text += prefix + lines[i] + "\n";
  return shown == lines.size() ? text : text + prefix + std::to_string(lines.size() - shown) + rest;
}

/// Returns ", top1 0.8125 (FP32 0.8200)": a metric of labels under a bound on the SQNR.
std::string metric_beside(const std::string& metric, double value, const std::map<std::string, double>& fp32) {
  const auto of_float = fp32.find(metric);
  return fmt::format(", {} {:.4f}", metric, value) +
         (of_float == fp32.end() ? std::string() : fmt::format(" (FP32 {:.4f})", of_float->second));
}

std::string score_text(const std::string& name, double score) {
  const Metric& metric = metric_named(name);
  if (metric == metrics::kSqnr) return fmt::format("SQNR {:.1f} dB", score);
  if (metric == metrics::kNats)
    return loss_text(metric, score) + ", perplexity " + metric_text(metrics::kPerplexity, std::exp(score));
  const bool is_share = metric.unit == MetricUnit::Fraction;
  return metric.title + (" " + (is_share ? percent_text(score, metric.decimals) : metric_text(metric, score)));
}

std::string score_text(const BoundReport& report, double score) {
  const bool of_several = report.metric == metrics::kSqnr.name && !report.output.empty();
  return score_text(report.metric, score) + (of_several ? " at the worst output" : "");
}

std::string labels_text(const ScoreReport& score) {
  return score.labels.empty() ? std::string() : "  labels: " + score.labels + "\n";
}

constexpr size_t kBlamedShown = 3;

/// Prints the values that cost most, by the gain at the output without their pair.
std::string blame_text(const VerdictReport& verdict, size_t outputs) {
  // A measurement on few samples may vary by a tenth of a dB.
  const auto costs = [&](const auto& blame) { return blame.sqnr_db_without >= verdict.blame_sqnr_db + 0.1; };
  std::vector<VerdictReport::Blame> shown;
  std::ranges::copy_if(verdict.blame, std::back_inserter(shown), costs);
  if (verdict.blame.empty()) return {};
  if (shown.empty()) {
    shown = verdict.blame;
    std::ranges::stable_sort(shown, {}, &VerdictReport::Blame::sqnr_db);
    shown.resize(std::min(shown.size(), kBlamedShown));
    return "  no single value explains it; those with the largest error are " +
           join(shown, ", ", [](const auto& one) { return fmt::format("'{}' ({:.1f} dB)", one.value, one.sqnr_db); }) +
           "\n";
  }
  shown.resize(std::min(shown.size(), kBlamedShown));
  return join(shown, "", [&](const auto& one) {
    return fmt::format("  without the pair on '{}' {} {:.1f} dB instead of {:.1f}\n", one.value,
                       outputs > 1 ? "the worst output has" : "the output has", one.sqnr_db_without,
                       verdict.blame_sqnr_db);
  });
}

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

/// Names the written file and the model it was made from.
std::string made_text(const QuantizeReport& report) {
  const bool raised = report.written_opset != 0 && report.written_opset != report.opset;
  return "wrote " + report.output + " (" + bytes_text(report.output_bytes) + ") for " + report.target + ", from " +
         std::filesystem::path(report.model).filename().string() + " (" + bytes_text(report.model_bytes) + ", opset " +
         std::to_string(report.opset) + (raised ? " raised to " + std::to_string(report.written_opset) : "") + ")\n";
}

/// Names the source of the ranges.
std::string calibration_text(const QuantizeReport& report) {
  std::string text = report.table.empty()
                         ? "calibrated " + plural(report.samples, "sample") +
                               (report.steps > 0 ? " of " + plural(report.steps, "step") : "") +
                               fmt::format(" in {:.1f} s", report.calibration_seconds)
                         : "ranges from " + report.table +
                               (report.samples ? " (" + plural(report.samples, "sample") + ")" : " (imported)");
  if (report.table.empty() && report.calibration_seconds > 0)
    text += fmt::format(" ({:.0f}/s)", static_cast<double>(report.samples) / report.calibration_seconds);
  text += ", calibrator " + report.calibrator + (report.measured ? " (auto)" : "") +
          fmt::format(", peak {:.0f} MB\n", report.peak_mb);
  return text + skipped_text(report.skipped_samples);
}

std::string coverage_line(const QuantizeReport& report) {
  const PlanReport& plan = report.plan;
  return coverage_text(plan.coverage) + ": " + plural(static_cast<size_t>(plan.coverage.pairs), "pair") + " on " +
         plural(plan.quantized_values, "value") +
         (plan.shared_scale_groups ? ", " + plural(plan.shared_scale_groups, "group") + " of shared scales" : "") +
         (plan.folded_batchnorms
              ? ", " + std::to_string(plan.folded_batchnorms) + " BatchNormalization folded into weights"
              : "") +
         "\n";
}

/// Counts the operators of the lines with one outcome, most frequent first: "Resize 2, Cast 1"; "" without any.
std::string operators_text(const std::string& title, const VerifyReport& report, VerifyReport::Line::Outcome outcome) {
  std::map<std::string, size_t> counts;
  for (const auto& line : report.lines) {
    if (line.outcome != outcome) continue;
    for (const std::string& name : line.operators) ++counts[name];
    if (line.operators.empty()) ++counts["(other)"];
  }
  if (counts.empty()) return {};
  std::vector<std::pair<std::string, size_t>> ranked(counts.begin(), counts.end());
  std::ranges::stable_sort(ranked, std::greater{}, [](const auto& pair) { return pair.second; });
  return title + join(ranked, ", ", [](const auto& pair) { return pair.first + " " + std::to_string(pair.second); }) +
         "\n";
}

}  // namespace

std::string bound_text(const BoundReport& report) {
  std::string text = report.bound + (report.met ? ": " : " NOT MET: ") + score_text(report, report.reached);
  if (report.fp32) text += " (FP32 " + score_text(report, *report.fp32) + ")";
  for (const auto& [metric, value] : report.metrics) text += metric_beside(metric, value, report.fp32_metrics);
  if (!report.kept.empty()) text += ", without it " + score_text(report, report.all_int8);
  text += "; on " + plural(report.samples, "sample") + ", " + plural(report.measurements, "measurement") +
          fmt::format(" in {:.1f} s\n", report.seconds);
  text += "  " + outcome_text(report) + "\n" + labels_text(report.score);
  for (const auto& item : report.kept)  // the lists of float layers and of 16-bit nodes have the others
    if (!item.weighted && !report.wide)
      text += "kept float: " + item.name + " (" + item.op + ")  " + item.reason + "\n";
  return text;
}

std::string measured_score_text(const ScoreReport& score) {
  return "score: " + score_text(score.metric, score.quantized) +
         (score.fp32 ? " (FP32 " + score_text(score.metric, *score.fp32) + ")" : std::string()) + ", " +
         interval_text(score) + "; on " + plural(score.samples, "sample") + "\n" + labels_text(score);
}

std::string verdict_text(const VerdictReport& verdict, size_t outputs) {
  std::string text = "verdict: ";
  text += verdict.quality ? name_of(*verdict.quality) : "none";
  if (!verdict.reasons.empty()) text += " (" + join(verdict.reasons) + ")";
  text += "\n";
  for (const std::string& caveat : verdict.caveats) text += "  " + caveat + "\n";
  text += blame_text(verdict, outputs);
  for (const std::string& cure : verdict.cures) text += "  try " + cure + "\n";
  return text;
}

std::string unmet_text(const BoundReport& report) {
  return report.bound + " cannot be met with any layer in " + report.codes + " that was tried: the best reaches " +
         score_text(report, report.reached) +
         (report.fp32 ? ", FP32 " + score_text(report, *report.fp32) : std::string()) + "; it was written";
}

namespace {

/// Says how long the phases took; the last one is what remains of the whole time.
std::string phases_text(const QuantizeReport& report) {
  if (report.seconds <= 0) return {};
  std::vector<std::pair<std::string, double>> phases{{"calibrating", report.calibration_seconds}};
  if (report.measured) phases.emplace_back("choosing the calibrator", report.measured->seconds);
  if (report.equalized) phases.emplace_back("equalizing", report.equalized->seconds);
  if (report.bias_correction && report.accuracy.steps.empty())
    phases.emplace_back("correcting biases", report.bias_correction->seconds);
  for (const AccuracyReport::Step& step : report.accuracy.steps) phases.emplace_back(step.name, step.seconds);
  if (report.bound) phases.emplace_back("holding the bound", report.bound->seconds);
  double rest = report.seconds;
  std::string text;
  for (const auto& [phase, seconds] : phases) {
    rest -= seconds;
    if (seconds >= 0.05) text += fmt::format("{} {:.1f} s, ", phase, seconds);
  }
  return fmt::format("took {:.1f} s: {}{} {:.1f} s\n", report.seconds, text,
                     text.empty() ? "reading, measuring and writing" : "reading, measuring the error and writing",
                     std::max(rest, 0.0));
}

/// The statements of a quantization that users look for, and the others.
struct QuantizeTexts {
  std::string made, score, verdict;
  std::string first, rest;  ///< of the others: before the score, and behind it
};

QuantizeTexts texts_of(const QuantizeReport& report, Listing& listing) {
  QuantizeTexts texts{.made = made_text(report)};
  std::string& first = texts.first;
  first = report.error ? error_text(*report.error, report.error_source, listing)
                       : "error against FP32: not measured: no data\n";
  first += calibration_text(report);
  if (report.measured) first += measurement_text(*report.measured, listing);
  first += outlier_text(report.outliers, listing);
  if (report.equalized) first += equalize_text(*report.equalized, listing);
  if (report.bias_correction && report.accuracy.steps.empty()) first += bias_correction_text(*report.bias_correction);
  first += steps_text(report.accuracy) + coverage_line(report) +
           to_text(build::placement(report.plan, build::Listed::FloatLayers), listing);
  if (report.bound) texts.score = bound_text(*report.bound);
  if (report.score && !report.bound) texts.score = measured_score_text(*report.score);
  std::string& rest = texts.rest;
  rest = to_text(build::floats(report.floats), listing) +
         to_text(document::Section{document::Topic::Coverage, {build::type_shares(report.plan.coverage)}}, listing);
  if (report.saturation) rest += saturation_text(*report.saturation);
  rest += capped_text("note: ", listing.sentences(report.notes), " more of other kinds\n", listing);
  rest += phases_text(report) + listing.closing();
  const bool ready = report.verdict.quality == Quality::Good && !report.next_command.empty();
  texts.verdict = verdict_text(report.verdict, report.error ? report.error->outputs.size() : 0) +
                  (ready ? "  next: " + report.next_command + "\n" : "");
  return texts;
}

}  // namespace

std::string to_text(const QuantizeReport& report, Lists lists) {
  Listing listing(lists);
  const QuantizeTexts texts = texts_of(report, listing);
  return texts.made + texts.first + texts.score + texts.rest + texts.verdict;
}

TerminalText terminal_text(const QuantizeReport& report, Lists lists) {
  Listing listing(lists);
  const QuantizeTexts texts = texts_of(report, listing);
  return {texts.verdict + texts.score + texts.made, texts.first + texts.rest};
}

std::string to_text(const PlanReport& report, Lists lists) { return to_text(build::document_of(report), lists); }

std::string to_text(const LintReport& report, Lists lists) { return to_text(build::document_of(report), lists); }

std::string to_text(const std::vector<FindingInfo>& kinds) {
  Table table{{{"", Kind::Name}, {"", Kind::Words}}};
  for (const FindingInfo& kind : kinds) table.rows.push_back({{{kind.id}, {kind.summary + " (" + kind.levels + ")"}}});
  return "Findings\n" + to_text(table);
}

std::string to_text(const QuantizeTargetsReport& report, Lists lists) {
  std::string text = join(report.targets, "\n", [&](const auto& one) { return to_text(one, lists); });
  return text + fmt::format("\n{} in {:.1f} s, peak {:.0f} MB\n", plural(report.targets.size(), "target"),
                            report.seconds, report.peak_mb);
}

std::string to_text(const VerifyReport::Line& line) {
  using Outcome = VerifyReport::Line::Outcome;
  const char* outcome = line.outcome == Outcome::Passed   ? "passed     "
                        : line.outcome == Outcome::Failed ? "FAILED     "
                                                          : "unsupported";
  std::string text = std::string(outcome) + "  " + line.folder + "/" + line.model;
  // Integers that differ, and outputs that could not be compared, have no such error.
  if (line.worst_relative_error > 0)
    text += fmt::format("  worst error {:.1e} of the largest value", line.worst_relative_error);
  else if (line.outcome == Outcome::Passed)
    text += "  exact";
  if (!line.detail.empty()) text += "  " + line.detail;
  return text + "\n";
}

std::string summary_text(const VerifyReport& report) {
  using Outcome = VerifyReport::Line::Outcome;
  std::string text = operators_text("failed by operator:      ", report, Outcome::Failed) +
                     operators_text("unsupported by operator: ", report, Outcome::Unsupported);
  return text + std::to_string(report.passed) + " passed, " + std::to_string(report.failed) + " failed, " +
         std::to_string(report.unsupported) + " unsupported\n";
}

std::string to_text(const RunReport& report) {
  std::string text = "ran " + plural(report.samples, "sample") + fmt::format(" in {:.2f} s", report.seconds);
  if (report.seconds > 0) text += fmt::format(" ({:.1f}/s)", static_cast<double>(report.samples) / report.seconds);
  text += "\n" + skipped_text(report.skipped_samples);
  if (!report.expanded.empty()) text += "expanded " + expanded_text(report.expanded) + "\n";
  for (const auto& path : report.written) text += "wrote " + path.string() + "\n";
  if (report.profile) text += "\n" + to_text(*report.profile);
  return text;
}

}  // namespace detent
