#include <algorithm>
#include <cmath>
#include <map>

#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using Family = EqualizeReport::Family;
using Value = EqualizeReport::Value;
using Step = AccuracyReport::Step;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kValuesShown = 5;

Words sqnr(const std::optional<double>& db) { return decibels(db.value_or(kUnknown), 2); }

/// Returns the place of a family's factors; "" for an unknown family.
std::string meaning_of(const std::string& family) {
  static const std::map<std::string, std::string> kMeanings = {
      {"gate", "x \u00B7 gate(x): factors on the small gate"},
      {"linear", "values that are only added and read by layers"},
      {"relu", "between two layers, around a Relu or Clip"},
      {"norm", "scale and shift of a normalization"},
      {"act", "a Mul after Silu or HardSwish"},
      {"product", "a product of two branches, in the layer that makes one"},
      {"value", "attention's values, in the layers around the heads"}};
  const auto found = kMeanings.find(family);
  return found == kMeanings.end() ? std::string() : found->second;
}

/// Lists the families that have values.
document::Grid families_table(const EqualizeReport& report) {
  document::Grid table{
      .id = "equalize-families",
      .label = "Families",
      .columns = {{"Family", Kind::Title},
                  {"Values"},
                  {"Groups", Kind::Minor, "Values of a group share their factors"},
                  {"Alpha", Kind::Number, "Exponent of the activations' share; the weights have the rest"},
                  {"Gain", Kind::Number, "Of the mean SQNR at the outputs, on top of the families above"},
                  {"Decision", Kind::Plain}},
      .search = false,
      .noun = "family"};
  for (const Family& family : report.families) {
    if (family.values == 0) continue;
    // Factors from a calibration table have no groups, and their exponent is unknown.
    const bool has_alpha = family.groups > 0 && (family.kept || family.gain_db);
    Words decision = family.kept      ? report.values.empty() ? "kept, all factors 1" : "kept"
                     : family.gain_db ? "dropped"
                                      : "left alone";
    if (!family.kept && !family.reason.empty()) decision += ": " + family.reason;
    Cell title{Words(family.name)};
    title.meaning = meaning_of(family.name);
    table.rows.push_back({{title, count(family.values), family.groups ? count(family.groups) : Words(),
                           has_alpha ? significant(family.alpha, 3) : Words(),
                           family.gain_db ? gain(0, *family.gain_db) : Words(), decision}});
  }
  return table;
}

/// Lists the values, most uneven first; no rows when none was measured.
document::Grid imbalance_table(std::vector<Value> values) {
  document::Grid table{
      .id = "equalize-values",
      .label = "Imbalance of channels",
      .columns = {{"Value", Kind::Name}, {"", Kind::Chart}, {"Before"}, {"After"}, {"Channels", Kind::Minor}},
      .heading = "imbalance of channels: the largest magnitude of one over the median",
      .capped = true,
      .noun = "value",
      .most = kValuesShown,
      .scale = Scale{
          .series = {{"before", "before: the largest magnitude of a channel over the median"}, {"after", "after"}},
          .low_is_bad = false,
          .logarithmic = true}};
  // An imbalance is at least 1, or 0 where it was not measured.
  std::erase_if(values, [](const Value& one) { return one.imbalance_before <= 0 || one.imbalance_after <= 0; });
  std::ranges::stable_sort(values, std::greater{}, &Value::imbalance_before);
  for (const Value& value : values) {
    Cell title{name(value.name)}, chart{Words()};
    title.op = value.family;
    chart.marks = {value.imbalance_before, value.imbalance_after};
    const auto ratio = [](double number) { return Words(Number{.value = number, .unit = Unit::Times, .digits = 1}); };
    table.rows.push_back(
        {{title, chart, ratio(value.imbalance_before), ratio(value.imbalance_after), count(value.channels)}});
  }
  return table;
}

/// Counts the equalized values; a calibration table has only their number by family.
size_t count_values(const EqualizeReport& report) {
  size_t count = 0;
  for (const Family& family : report.families) count += family.kept ? family.values : 0;
  return report.values.empty() ? count : report.values.size();
}

/// Returns true where there is a value that could be equalized.
bool has_values(const EqualizeReport& report) {
  return !report.values.empty() || std::ranges::any_of(report.families, [](const auto& one) { return one.values > 0; });
}

void add_equalization(std::vector<Part>& parts, const EqualizeReport& report) {
  const size_t count = count_values(report);
  Words words{"equalized ", count == 0 ? "nothing" : document::count(count, "value"), " (",
              code("--equalize " + report.requested)};
  words += ")";
  if (report.samples > 0)
    words += {", channels of ", document::count(report.samples, "sample"), " in ", seconds(report.seconds)};
  const MeasuredChange& judged =
      report.acceptance && report.acceptance->kept ? static_cast<const MeasuredChange&>(*report.acceptance) : report;
  if (judged.before_db && judged.after_db)
    words += {", ", change(*judged.before_db, *judged.after_db), " on ", document::count(judged.samples, "sample")};
  parts.push_back(Line{words});
  parts.emplace_back(families_table(report));
  parts.emplace_back(imbalance_table(report.values));
  for (const std::string& note : report.notes) parts.push_back(Line{note, Role::Detail});
}

Words correction_words(const BiasCorrectionReport& report) {
  if (report.layers == 0) return "corrected no bias: " + report.reason;
  if (!report.before_db || !report.after_db) return "corrected no bias, not measured: " + report.reason;
  return {"corrected the biases of ",
          count(report.layers, "layer"),
          " in ",
          seconds(report.seconds),
          ": ",
          change(*report.before_db, *report.after_db),
          " on ",
          count(report.samples, "held-out sample"),
          ", ",
          report.kept ? "kept" : "dropped: " + report.reason};
}

document::Grid steps_table(const AccuracyReport& accuracy) {
  document::Grid table{
      .id = "accuracy-table",
      .label = "Steps of the accuracy level",
      .columns = {{"Step", Kind::Title},
                  {"Changed", Kind::Words},
                  {"Before", Kind::Number, "Mean SQNR at the outputs without the step, on the samples of the row"},
                  {"After", Kind::Number, "Mean SQNR at the outputs with the step, on the samples of the row"},
                  {"Gain"},
                  {"Samples", Kind::Minor, "Number of samples that decided"},
                  {"Time", Kind::Minor},
                  {"Decision", Kind::Plain}},
      .search = false,
      .noun = "step"};
  for (const Step& step : accuracy.steps) {
    const bool measured = step.before_db && step.after_db;
    Words decision = step.kept ? "kept" : measured ? "dropped" : "not measured, not changed";
    if (!step.reason.empty()) decision += ": " + step.reason;
    table.rows.push_back(
        {{Words(step.name), Words(step.changed), measured ? sqnr(step.before_db) : Words(),
          measured ? sqnr(step.after_db) : Words(), measured ? gain(*step.before_db, *step.after_db) : Words(),
          count(step.samples), seconds(step.seconds), decision}});
  }
  return table;
}

}  // namespace

Section equalization(const std::optional<EqualizeReport>& report,
                     const std::optional<BiasCorrectionReport>& correction) {
  Section section{Topic::Equalization, {}};
  if (report && has_values(*report)) {
    add_equalization(section.parts, *report);
  } else if (report) {
    section.parts.push_back(
        Line{{"equalized nothing (", code("--equalize " + report->requested), ")"}, Role::Statement, Where::Text});
    for (const std::string& note : report->notes) section.parts.push_back(Line{note, Role::Detail, Where::Text});
  }
  if (correction) section.parts.push_back(Line{correction_words(*correction)});
  return section;
}

Section accuracy(const AccuracyReport& report) {
  Section section{Topic::Accuracy, {}};
  if (report.steps.empty()) return section;
  const auto kept = std::ranges::count(report.steps, true, &Step::kept);
  section.parts = {
      Line{"Each step builds on those kept before it, and is kept only if it improves the deciding samples.",
           Role::Lead},
      Line{{"accuracy ", report.level, ": ", count(kept), " of ", count(report.steps.size(), "step"),
            " kept, by the mean SQNR on the samples of its row"}},
      steps_table(report)};
  return section;
}

}  // namespace detent::build
