#include <limits>

#include "report/html/markup.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

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
