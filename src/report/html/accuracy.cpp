#include <limits>

#include "report/html/cells.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

using Step = AccuracyReport::Step;

std::string accuracy_row(const Step& step) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool measured = step.before_db && step.after_db;
  const double before = step.before_db.value_or(kNone), after = step.after_db.value_or(kNone), gain = after - before;
  const std::string decision = step.kept ? " kept\">kept" : measured ? "\">dropped" : "\">not measured";
  return "<tr><th scope=\"row\">" + escape(step.name) + " <small>" + escape(step.changed) + "</small></th>" +
         number_cell(before, fixed_text(before, 2)) + number_cell(after, fixed_text(after, 2)) +
         number_cell(gain, signed_text(gain, 2)) + "<td><span class=\"tag" + decision + "</span>" +
         (step.reason.empty() ? "" : " <small>" + escape(step.reason) + "</small>") + "</td>" +
         number_cell(static_cast<double>(step.samples), std::to_string(step.samples), "number minor") +
         number_cell(step.seconds, fixed_text(step.seconds, 1), "number minor") + "</tr>\n";
}

}  // namespace

std::string accuracy_section(const AccuracyReport& accuracy) {
  if (accuracy.steps.empty()) return {};
  size_t kept = 0;
  double seconds = 0;
  for (const Step& step : accuracy.steps) kept += step.kept, seconds += step.seconds;
  std::string table = "<table id=\"accuracy-table\"><thead><tr><th scope=\"col\">Step</th>" +
                      number_head("SQNR before, dB", "At the outputs, without the step") +
                      number_head("After, dB", "At the outputs, with the step") +
                      number_head("Gain, dB", "What the step adds") + "<th scope=\"col\">Decision</th>" +
                      number_head("Samples", "That decided", "number minor") +
                      number_head("Seconds", "That the step took", "number minor") + "</tr></thead><tbody>";
  for (const Step& step : accuracy.steps) table += accuracy_row(step);
  return "<section id=\"accuracy\"><h2>Steps of the " + escape(accuracy.level) + " level</h2><p class=\"lead\">" +
         std::to_string(kept) + " of " + plural(accuracy.steps.size(), "step") + " kept, in " + fixed_text(seconds, 1) +
         " s. Each begins with what those before it kept, and stays only where the samples that decide say so.</p>" +
         scrolling(table + "</tbody></table>", "Steps of the accuracy level") + "</section>\n";
}

}  // namespace detent::html
