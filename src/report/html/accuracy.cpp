#include <limits>

#include "report/html/cells.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

using Step = AccuracyReport::Step;

Table::Row accuracy_row(const Step& step) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool measured = step.before_db && step.after_db;
  const double before = step.before_db.value_or(kNone), after = step.after_db.value_or(kNone), gain = after - before;
  const std::string decision = step.kept ? " kept\">kept" : measured ? "\">dropped" : "\">not measured";
  return {{{escape(step.name) + " <small>" + escape(step.changed) + "</small>"},
           {fixed_text(before, 2), before},
           {fixed_text(after, 2), after},
           {signed_text(gain, 2), gain},
           {"<span class=\"tag" + decision + "</span>" +
            (step.reason.empty() ? "" : " <small>" + escape(step.reason) + "</small>")},
           {std::to_string(step.samples), static_cast<double>(step.samples)},
           {fixed_text(step.seconds, 1), step.seconds}}};
}

}  // namespace

std::string accuracy_section(const AccuracyReport& accuracy) {
  if (accuracy.steps.empty()) return {};
  size_t kept = 0;
  double seconds = 0;
  for (const Step& step : accuracy.steps) kept += step.kept, seconds += step.seconds;
  Table table{{{"Step", Kind::Title},
               {"SQNR before, dB", Kind::Number, "At the outputs, without the step"},
               {"After, dB", Kind::Number, "At the outputs, with the step"},
               {"Gain, dB", Kind::Number, "What the step adds"},
               {"Decision", Kind::Plain},
               {"Samples", Kind::Minor, "That decided"},
               {"Seconds", Kind::Minor, "That the step took"}}};
  for (const Step& step : accuracy.steps) table.rows.push_back(accuracy_row(step));
  return "<section id=\"accuracy\"><h2>Steps of the " + escape(accuracy.level) + " level</h2><p class=\"lead\">" +
         std::to_string(kept) + " of " + plural(accuracy.steps.size(), "step") + " kept, in " + fixed_text(seconds, 1) +
         " s. Each begins with what those before it kept, and stays only where the samples that decide say so.</p>" +
         scrolling(table_markup(table, "id=\"accuracy-table\""), "Steps of the accuracy level") + "</section>\n";
}

}  // namespace detent::html
