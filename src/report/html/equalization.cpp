#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "report/html/axis.h"
#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

using Family = EqualizeReport::Family;
using Value = EqualizeReport::Value;

/// Returns the place of a family's factors; "" for an unknown family.
std::string meaning(const std::string& family) {
  static const std::map<std::string, std::string> kMeanings = {
      {"gate", "x \u00B7 gate(x): factors on the small gate"},
      {"linear", "values that are only added and read by layers"},
      {"relu", "between two layers, around a Relu or Clip"},
      {"norm", "scale and shift of a normalization"},
      {"act", "a Mul after Silu or HardSwish"},
      {"product", "a product of two branches, in the layer that makes one"},
      {"value", "attention\u2019s values, in the layers around the heads"}};
  const auto found = kMeanings.find(family);
  return found == kMeanings.end() ? std::string() : found->second;
}

/// Returns false for factors from a calibration table, whose exponent is unknown.
bool has_alpha(const Family& family) { return family.groups > 0 && (family.kept || family.gain_db); }

std::string decision(const Family& family) {
  if (family.values == 0) return "<td class=\"nothing\">nothing to equalize</td>";
  return "<td>" + (family.kept ? tag("kept", "kept") : tag(family.gain_db ? "dropped" : "left alone")) +
         (family.kept || family.reason.empty() ? "" : " <small class=\"minor\">" + escape(family.reason) + "</small>") +
         "</td>";
}

std::string families_table(const std::vector<Family>& families) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Table table{{{"Family", Kind::Title},
               {"Values"},
               {"Alpha", Kind::Number, "Exponent of the activations' share; the weights have the rest"},
               {"Gain, dB", Kind::Number, "Of the SQNR at the outputs, on top of the families above"},
               {"Decision", Kind::Plain}}};
  for (const Family& family : families) {
    const std::string where = meaning(family.name);
    const double alpha = has_alpha(family) ? family.alpha : kNone;
    table.rows.push_back(
        {{{escape(family.name) + (where.empty() ? where : " <small class=\"minor\">" + where + "</small>")},
          count_cell(family.values),
          {number_text(alpha), alpha},
          signed_cell(family.gain_db.value_or(kNone), 2),
          {decision(family)}}});
  }
  return scrolling(table, "equalize-families", "Families");
}

/// An imbalance is at least 1, or 0 where it was not measured.
bool is_measured(const Value& value) { return value.imbalance_before > 0 && value.imbalance_after > 0; }

/// Returns an axis of common logarithms, from an imbalance of 1.
Axis imbalance_axis(const std::vector<Value>& values) {
  double high = 1.5;
  for (const Value& value : values)
    for (const double imbalance : {value.imbalance_before, value.imbalance_after})
      if (std::isfinite(imbalance)) high = std::max(high, imbalance);
  return {0, 1.05 * std::log10(high)};
}

/// Returns the logarithms of 1, 1.5, 2, 3 ..., of 1, 2, 5 ..., of 1, 3, 10 ... or of powers of ten, as they fit.
std::vector<double> imbalance_ticks(const Axis& axis) {
  std::vector<double> steps{1};
  if (axis.high < 0.65)
    steps = {1, 1.5, 2, 3};
  else if (axis.high < 1.15)
    steps = {1, 2, 5};
  else if (axis.high < 2.6)
    steps = {1, 3};
  std::vector<double> ticks;
  for (int power = 0; power <= axis.high; ++power)
    for (const double step : steps)
      if (const double tick = power + std::log10(step); tick <= axis.high) ticks.push_back(tick);
  return ticks;
}

std::string equalization_row_chart(const Value& value, const Axis& axis) {
  std::string svg = "<svg class=\"dots\" height=\"100%\" aria-hidden=\"true\">";
  for (const double tick : imbalance_ticks(axis)) svg += vertical_line("grid", axis, tick);
  const double before = std::log10(value.imbalance_before), after = std::log10(value.imbalance_after);
  return svg + gain_line(axis, before, after) + dot_mark("before", axis, before, "3.5") +
         dot_mark("after", axis, after, "4.5") + "</svg>";
}

Table::Row equalization_row(const Value& value, const Axis& axis) {
  const auto ratio = [](double imbalance) { return Table::Cell{fixed_text(imbalance, 1) + "\u00D7", imbalance}; };
  return {{{node_name(value.name, value.family)},
           {equalization_row_chart(value, axis)},
           ratio(value.imbalance_before),
           ratio(value.imbalance_after),
           count_cell(value.channels)}};
}

/// Prints the values, most uneven first; "" when none was measured.
std::string values_table(std::vector<Value> values) {
  std::erase_if(values, [](const Value& value) { return !is_measured(value); });
  if (values.empty()) return {};
  std::ranges::stable_sort(values, std::greater{}, &Value::imbalance_before);
  const Axis axis = imbalance_axis(values);
  const auto unlogarithmed = [](double tick) { return number_text(std::pow(10, tick)); };
  Table table{{{"Value", Kind::Name},
               {scale_head(axis, imbalance_ticks(axis), unlogarithmed), Kind::Chart},
               {"Before"},
               {"After"},
               {"Channels", Kind::Minor}}};
  for (const Value& value : values) table.rows.push_back(equalization_row(value, axis));
  return "<h3>Imbalance of channels</h3><p class=\"key\"><span>the largest magnitude of a channel over the "
         "median</span><span aria-hidden=\"true\"><svg width=\"12\" height=\"12\"><circle class=\"before\" cx=\"6\" "
         "cy=\"6\" r=\"3.5\"/></svg>before</span><span aria-hidden=\"true\"><svg width=\"12\" height=\"12\"><circle "
         "class=\"after\" cx=\"6\" cy=\"6\" r=\"4.5\"/></svg>after</span></p>" +
         table_markup(table, "id=\"equalize-values\" class=\"wide dumbbells\" data-shown=\"15\" data-rows=\"values\"");
}

/// Counts the equalized values; a calibration table has only their number by family.
size_t count_values(const EqualizeReport& report) {
  size_t count = 0;
  for (const Family& family : report.families) count += family.kept ? family.values : 0;
  return report.values.empty() ? count : report.values.size();
}

std::string equalization_lead(const EqualizeReport& report) {
  const size_t count = count_values(report);
  std::string text = (count == 0 ? "No value was equalized"
                                 : plural(count, "value") + (count == 1 ? " has its" : " have their") +
                                       " channels evened out, so that one scale serves them all") +
                     " (<span class=\"option\">--equalize</span> " + escape(report.requested);
  if (report.samples > 0) text += ", channels of " + plural(report.samples, "sample");
  text += ").";
  if (report.acceptance && report.acceptance->kept)
    text += " SQNR at the outputs, on " + plural(report.acceptance->samples, "sample") + ": " +
            fixed_text(*report.acceptance->before_db, 2) + " \u2192 " + fixed_text(*report.acceptance->after_db, 2) +
            "\u00A0dB.";
  return text;
}

std::string bias_correction(const std::optional<BiasCorrectionReport>& report) {
  if (!report) return {};
  if (report->layers == 0 || !report->before_db || !report->after_db)
    return "<h3>Bias correction</h3><p id=\"bias-correction\">No bias was corrected: " + escape(report->reason) +
           ".</p>";
  return "<h3>Bias correction</h3><p id=\"bias-correction\">The mean quantization error went into the biases of " +
         plural(report->layers, "layer") + ": SQNR at the outputs " + fixed_text(*report->before_db, 2) + " \u2192 " +
         fixed_text(*report->after_db, 2) + "\u00A0dB on " + plural(report->samples, "held-out sample") +
         (report->kept ? ", kept." : ", dropped: " + escape(report->reason) + ".") + "</p>";
}

/// Returns true where there is a value that could be equalized.
bool has_values(const EqualizeReport& report) {
  return !report.values.empty() || std::ranges::any_of(report.families, [](const auto& one) { return one.values > 0; });
}

}  // namespace

std::string equalization_section(const std::optional<EqualizeReport>& report,
                                 const std::optional<BiasCorrectionReport>& correction) {
  std::string lead, parts;
  if (report && has_values(*report)) {
    lead = equalization_lead(*report);
    parts = notes_list(report->notes, "equalization-notes");
    if (!report->families.empty()) parts += families_table(report->families);
    parts += values_table(report->values);
  }
  parts += bias_correction(correction);
  return lead.empty() && parts.empty() ? std::string() : section("equalization", "Equalization", lead, parts);
}

}  // namespace detent::html
