#include <algorithm>
#include <limits>

#include "report/html/axis.h"
#include "report/html/metric.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/output_errors.h"

namespace detent::html {
namespace {

using Candidate = CalibratorMeasurement::Candidate;

/// Returns the agreements that some candidate has, without that of integers: each is a column.
std::vector<ErrorMetric> agreements_of(const std::vector<Candidate>& candidates) {
  std::vector<ErrorMetric> found;
  for (const ErrorMetric& agreement : kErrorMetrics)
    if (agreement.metric.is_agreement() && agreement.metric != metrics::kIntegerAgreement &&
        std::ranges::any_of(candidates, [&](const Candidate& one) { return (one.error.*agreement.value).has_value(); }))
      found.push_back(agreement);
  return found;
}

/// Returns what the numbers of an output do not say.
std::string in_words(const ErrorReport::Output& output) {
  if (is_exact(output) || output.kind == OutputKind::Integers || !output.sqnr_db) return output_error_text(output);
  return agreement_text(output);
}

using Step = AccuracyReport::Step;

Table::Row accuracy_row(const Step& step) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool measured = step.before_db && step.after_db;
  const double before = step.before_db.value_or(kNone), after = step.after_db.value_or(kNone);
  const std::string decision = step.kept ? tag("kept", "kept") : tag(measured ? "dropped" : "not measured");
  return {{{escape(step.name) + " <small>" + escape(step.changed) + "</small>"},
           fixed_cell(before, 2),
           fixed_cell(after, 2),
           signed_cell(after - before, 2),
           {decision + (step.reason.empty() ? "" : " <small>" + escape(step.reason) + "</small>")},
           count_cell(step.samples),
           fixed_cell(step.seconds, 1)}};
}

}  // namespace

std::string choice_section(const std::optional<CalibratorMeasurement>& measured) {
  if (!measured || measured->candidates.empty()) return {};
  std::vector<double> scores;
  for (const Candidate& candidate : measured->candidates) scores.push_back(candidate.score_db);
  const Axis axis = axis_around(scores, 0.06);
  const std::vector<ErrorMetric> agreements = agreements_of(measured->candidates);
  Table table{{{"Calibrator", Kind::Name},
               {"SQNR, dB", Kind::Number, "Of the worst output: " + std::string(kScoreMeaning)},
               {"", Kind::Chart}}};
  for (const ErrorMetric& agreement : agreements) {
    const MetricStyle style = metric_style(agreement.metric.name);
    table.columns.push_back({style.label + ", %", Kind::Number, style.meaning});
  }
  table.columns.push_back({"Samples", Kind::Minor, "Number of samples it was measured on"});
  for (size_t i = 0; i < measured->candidates.size(); ++i) {
    const Candidate& candidate = measured->candidates[i];
    Table::Row row{
        {{escape(candidate.calibrator)}, fixed_cell(candidate.score_db, 2), {position_chart(axis, candidate.score_db)}},
        i == measured->winner ? "taken" : ""};
    for (const ErrorMetric& agreement : agreements) {
      const double value = (candidate.error.*agreement.value).value_or(std::numeric_limits<double>::quiet_NaN());
      row.cells.push_back({metric_style(agreement.metric.name).number(value), value});
    }
    row.cells.push_back(count_cell(candidate.error.samples));
    table.rows.push_back(std::move(row));
  }
  return section("choice", "Choice of the calibrator",
                 plural(measured->candidates.size(), "candidate") + ", each measured at the outputs on " +
                     measured_on_text(*measured) + " against FP32. Taken: " +
                     escape(measured->candidates[measured->winner].calibrator + " (" + choice_text(*measured) + ")."),
                 scrolling(table, "choice-table", "Candidates for the calibrator"));
}

std::string error_section(const std::optional<ErrorReport>& error) {
  if (!error || error->outputs.empty()) return {};
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Table table{{{"Output", Kind::Name},
               {"SQNR, dB", Kind::Number, metrics::kSqnr.meaning},
               {"Cosine", Kind::Number, metrics::kCosine.meaning},
               {"In words", Kind::Words}}};
  for (const ErrorReport::Output& output : worst_first(error->outputs))
    table.rows.push_back({{{name_markup(output.name)},
                           fixed_cell(output.sqnr_db.value_or(kNone), 2),
                           fixed_cell(output.cosine.value_or(kNone), 5),
                           {escape(in_words(output))}}});
  return section("error", "Error of the outputs",
                 "The written model against FP32 on " + plural(error->samples, "sample") +
                     (error->outputs.size() > 1 ? ", worst first." : "."),
                 scrolling(table, "error-table", "Error of each output"));
}

std::string accuracy_section(const AccuracyReport& accuracy) {
  if (accuracy.steps.empty()) return {};
  size_t kept = 0;
  double seconds = 0;
  Table table{{{"Step", Kind::Title},
               {"SQNR before, dB", Kind::Number, "At the outputs, without the step"},
               {"After, dB", Kind::Number, "At the outputs, with the step"},
               {"Gain, dB"},
               {"Decision", Kind::Plain},
               {"Samples", Kind::Minor, "Number of samples that decided"},
               {"Seconds", Kind::Minor, "Time of the step"}}};
  for (const Step& step : accuracy.steps) {
    kept += step.kept, seconds += step.seconds;
    table.rows.push_back(accuracy_row(step));
  }
  return section("accuracy", "Steps of the " + escape(accuracy.level) + " level",
                 std::to_string(kept) + " of " + plural(accuracy.steps.size(), "step") + " kept, in " +
                     fixed_text(seconds, 1) +
                     " s. Each step builds on those kept before it, and is kept only if it improves the deciding "
                     "samples.",
                 scrolling(table, "accuracy-table", "Steps of the accuracy level"));
}

}  // namespace detent::html
