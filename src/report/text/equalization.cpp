#include <fmt/core.h>

#include <algorithm>

#include "report/text/text.h"

namespace detent {

namespace {

constexpr size_t kShown = 5;

/// Prints a family that has values.
std::string family_line(const EqualizeReport::Family& family, bool changed) {
  if (family.values == 0) return {};
  std::string text = "  " + family.name + ": ";
  text += plural(family.values, "value");
  if (family.groups > 0) text += " in " + plural(family.groups, "group");
  // Factors from a calibration table have no groups, and their exponent is unknown.
  if (family.groups > 0 && (family.kept || family.gain_db)) text += fmt::format(", alpha {:g}", family.alpha);
  if (family.gain_db) text += fmt::format(", {:+.2f} dB", *family.gain_db);
  text += family.kept ? changed ? ", kept" : ", all factors came out 1" : family.gain_db ? ", dropped" : ", left alone";
  return text + (family.kept || family.reason.empty() ? "" : ": " + family.reason) + "\n";
}

/// Prints the values whose channels differed most.
std::string imbalance_lines(std::vector<EqualizeReport::Value> values, Listing& listing) {
  std::erase_if(values, [](const auto& value) { return value.imbalance_before == 0; });
  std::ranges::stable_sort(values, std::greater{}, &EqualizeReport::Value::imbalance_before);
  std::string text;
  const size_t shown = listing.shown(values.size(), kShown);
  for (size_t i = 0; i < shown; ++i)
    text += fmt::format("  largest over median of {} channels {:.1f} -> {:.1f}  ", values[i].channels,
                        values[i].imbalance_before, values[i].imbalance_after) +
            values[i].name + "\n";
  return values.size() == shown ? text : text + "  and " + plural(values.size() - shown, "value") + " more\n";
}

}  // namespace

std::string equalize_text(const EqualizeReport& report, Listing& listing) {
  std::string text = "equalized " + (report.values.empty() ? "nothing" : plural(report.values.size(), "value")) + " (" +
                     report.requested + ")";
  if (report.samples > 0)
    text += ", channels of " + plural(report.samples, "sample") + fmt::format(" in {:.1f} s", report.seconds);
  if (report.acceptance && report.acceptance->kept)
    text += ", " + change_text(*report.acceptance->before_db, *report.acceptance->after_db) + " on " +
            plural(report.acceptance->samples, "sample");
  text += "\n";
  for (const auto& family : report.families) text += family_line(family, !report.values.empty());
  text += imbalance_lines(report.values, listing);
  for (const std::string& note : listing.sentences(report.notes)) text += "  " + note + "\n";
  return text;
}

std::string bias_correction_text(const BiasCorrectionReport& report) {
  if (report.layers == 0) return "corrected no bias: " + report.reason + "\n";
  if (!report.before_db || !report.after_db) return "corrected no bias, not measured: " + report.reason + "\n";
  return "corrected the biases of " + plural(report.layers, "layer") + fmt::format(" in {:.1f} s: ", report.seconds) +
         change_text(*report.before_db, *report.after_db) + " on " + plural(report.samples, "held-out sample") + ", " +
         (report.kept ? "kept" : "dropped: " + report.reason) + "\n";
}

}  // namespace detent
