#include <algorithm>
#include <cmath>
#include <limits>

#include "report/html/axis.h"
#include "report/html/cells.h"
#include "report/html/markup.h"
#include "report/html/metric.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/output_errors.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

using Candidate = CalibratorMeasurement::Candidate;

Axis score_axis(const std::vector<Candidate>& candidates) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Candidate& candidate : candidates) {
    if (!std::isfinite(candidate.score_db)) continue;
    low = std::min(low, candidate.score_db);
    high = std::max(high, candidate.score_db);
  }
  return padded_axis(low, high, 0.06);
}

std::string position(const Axis& axis, double value) {
  return "<svg class=\"position\" height=\"12\" aria-hidden=\"true\"><line class=\"grid\" x1=\"0\" x2=\"100%\" "
         "y1=\"6\" y2=\"6\"/><circle cx=\"" +
         percentage(axis.at(value)) + "\" cy=\"6\" r=\"4\"/></svg>";
}

/// The agreements of scores that some candidate has: each is a column.
std::vector<ErrorMetric> agreements_of(const std::vector<Candidate>& candidates) {
  std::vector<ErrorMetric> found;
  for (const ErrorMetric& agreement : kErrorMetrics)
    if (agreement.metric.is_agreement() && agreement.metric != metrics::kIntegerAgreement &&
        std::ranges::any_of(candidates, [&](const Candidate& one) { return (one.error.*agreement.value).has_value(); }))
      found.push_back(agreement);
  return found;
}

/// What the numbers do not say.
std::string in_words(const ErrorReport::Output& output) {
  if (is_exact(output) || output.kind == OutputKind::Integers || !output.sqnr_db) return output_error_text(output);
  if (!output.agreement) return {};
  return (output.kind == OutputKind::Signs ? "sign agreement " : "argmax agreement ") +
         percent_text(*output.agreement, 2);
}

}  // namespace

std::string choice_section(const std::optional<CalibratorMeasurement>& measured) {
  if (!measured || measured->candidates.empty()) return {};
  const Axis axis = score_axis(measured->candidates);
  const std::vector<ErrorMetric> agreements = agreements_of(measured->candidates);
  Table table{
      {{"Calibrator", Kind::Name},
       {"SQNR, dB", Kind::Number, "Of the worst output: half the mean over the samples, half that of their mean noise"},
       {"", Kind::Chart}}};
  for (const ErrorMetric& agreement : agreements) {
    const MetricStyle style = metric_style(agreement.metric.name);
    table.columns.push_back({style.label + ", %", Kind::Number, style.meaning});
  }
  table.columns.push_back({"Samples", Kind::Minor, "That it was measured on"});
  for (size_t i = 0; i < measured->candidates.size(); ++i) {
    const Candidate& candidate = measured->candidates[i];
    Table::Row row{{{escape(candidate.calibrator)},
                    {fixed_text(candidate.score_db, 2), candidate.score_db},
                    {position(axis, candidate.score_db)}},
                   i == measured->winner ? "taken" : ""};
    for (const ErrorMetric& agreement : agreements) {
      const double value = (candidate.error.*agreement.value).value_or(std::numeric_limits<double>::quiet_NaN());
      row.cells.push_back({metric_style(agreement.metric.name).number(value), value});
    }
    const size_t samples = candidate.error.samples;
    row.cells.push_back({std::to_string(samples), static_cast<double>(samples)});
    table.rows.push_back(std::move(row));
  }
  return "<section id=\"choice\"><h2>Choice of the calibrator</h2><p class=\"lead\">" +
         plural(measured->candidates.size(), "candidate") + ", each measured at the outputs on " +
         measured_on_text(*measured) +
         " against FP32. Taken: " + escape(measured->candidates[measured->winner].calibrator) + ", for " +
         escape(choice_text(*measured)) + ".</p>" +
         scrolling(table_markup(table, "id=\"choice-table\""), "Candidates for the calibrator") + "</section>\n";
}

std::string error_section(const std::optional<ErrorReport>& error) {
  if (!error || error->outputs.empty()) return {};
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Table table{{{"Output", Kind::Name},
               {"SQNR, dB", Kind::Number, metrics::kSqnr.meaning},
               {"Cosine", Kind::Number, metrics::kCosine.meaning},
               {"In words", Kind::Words}}};
  for (const ErrorReport::Output& output : worst_first(error->outputs)) {
    const double sqnr = output.sqnr_db.value_or(kNone), cosine = output.cosine.value_or(kNone);
    table.rows.push_back({{{name_markup(output.name)},
                           {fixed_text(sqnr, 2), sqnr},
                           {fixed_text(cosine, 5), cosine},
                           {escape(in_words(output))}}});
  }
  return "<section id=\"error\"><h2>Error of the outputs</h2><p class=\"lead\">The written model against FP32 on " +
         plural(error->samples, "sample") + (error->outputs.size() > 1 ? ", worst first" : "") + ".</p>" +
         scrolling(table_markup(table, "id=\"error-table\""), "Error of each output") + "</section>\n";
}

}  // namespace detent::html
