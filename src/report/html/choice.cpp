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
  return "<td class=\"chart\"><svg class=\"position\" height=\"12\" aria-hidden=\"true\"><line class=\"grid\" x1=\"0\" "
         "x2=\"100%\" y1=\"6\" y2=\"6\"/><circle cx=\"" +
         percentage(axis.at(value)) + "\" cy=\"6\" r=\"4\"/></svg></td>";
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
  std::string table =
      "<table id=\"choice-table\"><thead><tr>" + text_head("Calibrator") +
      number_head("SQNR, dB", "Of the worst output: half the mean over the samples, half that of their mean noise") +
      "<td class=\"chart\"></td>";
  for (const ErrorMetric& agreement : agreements) {
    const MetricStyle style = metric_style(agreement.metric.name);
    table += number_head(style.label + ", %", style.meaning);
  }
  table += number_head("Samples", "That it was measured on", "number minor") + "</tr></thead><tbody>";
  for (size_t i = 0; i < measured->candidates.size(); ++i) {
    const Candidate& candidate = measured->candidates[i];
    const bool taken = i == measured->winner;
    table += std::string("<tr") + (taken ? " class=\"best\"" : "") + "><th scope=\"row\">" +
             escape(candidate.calibrator) + (taken ? " <span class=\"badge\">taken</span>" : "") + "</th>" +
             number_cell(candidate.score_db, fixed_text(candidate.score_db, 2)) + position(axis, candidate.score_db);
    for (const ErrorMetric& agreement : agreements) {
      const double value = (candidate.error.*agreement.value).value_or(std::numeric_limits<double>::quiet_NaN());
      table += number_cell(value, metric_style(agreement.metric.name).number(value));
    }
    const size_t samples = candidate.error.samples;
    table += number_cell(static_cast<double>(samples), std::to_string(samples), "number minor") + "</tr>\n";
  }
  return "<section id=\"choice\"><h2>Choice of the calibrator</h2><p class=\"lead\">" +
         plural(measured->candidates.size(), "candidate") + ", each measured at the outputs on " +
         measured_on_text(*measured) +
         " against FP32. Taken: " + escape(measured->candidates[measured->winner].calibrator) + ", for " +
         escape(choice_text(*measured)) + ".</p>" +
         scrolling(table + "</tbody></table>", "Candidates for the calibrator") + "</section>\n";
}

std::string error_section(const std::optional<ErrorReport>& error) {
  if (!error || error->outputs.empty()) return {};
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::string table = "<table id=\"error-table\"><thead><tr>" + text_head("Output") +
                      number_head("SQNR, dB", metrics::kSqnr.meaning) +
                      number_head("Cosine", metrics::kCosine.meaning) + text_head("In words") + "</tr></thead><tbody>";
  for (const ErrorReport::Output& output : worst_first(error->outputs)) {
    const double sqnr = output.sqnr_db.value_or(kNone), cosine = output.cosine.value_or(kNone);
    table += "<tr><th scope=\"row\">" + name_markup(output.name) + "</th>" + number_cell(sqnr, fixed_text(sqnr, 2)) +
             number_cell(cosine, fixed_text(cosine, 5)) + "<td class=\"words\">" + escape(in_words(output)) +
             "</td></tr>\n";
  }
  return "<section id=\"error\"><h2>Error of the outputs</h2><p class=\"lead\">The written model against FP32 on " +
         plural(error->samples, "sample") + (error->outputs.size() > 1 ? ", worst first" : "") + ".</p>" +
         scrolling(table + "</tbody></table>", "Error of each output") + "</section>\n";
}

}  // namespace detent::html
