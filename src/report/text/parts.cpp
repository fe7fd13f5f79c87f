#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/text.h"
#include "report/output_errors.h"
#include "report/quantities.h"
#include "report/text/text.h"

namespace detent {

std::string model_line(const std::string& model, const PlanReport& plan, const std::string& target) {
  return std::filesystem::path(model).filename().string() + "  opset " + std::to_string(plan.opset) + ", " +
         plural(plan.nodes, "node") + "     target " + target;
}

std::string skipped_text(size_t samples) {
  return samples == 0 ? "" : "skipped " + plural(samples, "unreadable sample") + "\n";
}

std::string expanded_text(const std::map<std::string, int64_t>& operators) {
  return join(operators, ", ", [](const auto& one) { return std::to_string(one.second) + " " + one.first; });
}

std::string outlier_text(const OutlierReport& report, Listing& listing) {
  constexpr size_t kShown = 3;
  const size_t shown = listing.shown(report.samples.size(), kShown);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const auto& one = report.samples[i];
    text += fmt::format("{} alone sets the range of {} of {}, up to {:.3g} times the median sample\n", one.sample,
                        one.values, plural(report.values, "value"), one.ratio);
  }
  if (!text.empty() && report.policy == "clip")
    text += "  ranges are clipped to what the other samples reach (--policy outliers=clip)\n";
  if (!text.empty() && report.policy == "drop") text += "  left out of the calibration (--policy outliers=drop)\n";
  if (report.samples.size() > shown)
    text += plural(report.samples.size() - shown, "more sample") + " like these; the JSON report lists all\n";
  return text;
}

std::string outputs_text(const std::vector<ErrorReport::Output>& outputs, Listing& listing) {
  constexpr size_t kShown = 8;
  if (outputs.size() < 2) return {};
  const std::vector<ErrorReport::Output> ranked = worst_first(outputs);
  const size_t shown = listing.shown(ranked.size(), kShown);
  Table table{{{"", Kind::Name}, {"", Kind::Words}}};
  for (size_t i = 0; i < shown; ++i) table.rows.push_back({{{ranked[i].name}, {output_error_text(ranked[i])}}});
  return to_text(table) + more_outputs_text(ranked.size() - shown);
}

std::string more_outputs_text(size_t count) {
  return count > 0 ? "  and " + plural(count, "output") + " that are no worse\n" : "";
}

namespace {

/// Returns "  step 1, 32, 64: SQNR 40.2, 36.1, 33.9 dB"; "" without steps.
std::string steps_text(const std::vector<ErrorReport::AtStep>& steps) {
  if (steps.size() < 2 || !steps.back().sqnr_db) return {};
  const auto db = [](const ErrorReport::AtStep& one) { return fmt::format("{:.1f}", one.sqnr_db.value_or(NAN)); };
  std::string text = "  at step " + join(steps, ", ", [](const auto& one) { return std::to_string(one.step); }) +
                     ": SQNR " + join(steps, ", ", db) + " dB";
  const auto agreement = [](const ErrorReport::AtStep& one) {
    return percent_text(one.argmax_agreement.value_or(0), 2);
  };
  if (steps.back().argmax_agreement) text += ", argmax agreement " + join(steps, ", ", agreement);
  return text + "\n";
}

}  // namespace

std::string error_text(const ErrorReport& error, const std::string& source, Listing& listing) {
  return "error against FP32 on " + plural(error.samples, "sample") + ": " + worst_error_text(error) +
         (source.empty() ? "" : "; measured on " + source) + "\n" + steps_text(error.steps) +
         outputs_text(error.outputs, listing);
}

}  // namespace detent
