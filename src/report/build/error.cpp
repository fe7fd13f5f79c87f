#include <algorithm>
#include <cmath>

#include "report/build/sections.h"
#include "report/output_errors.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kOutputsShown = 8;

/// Returns what the numbers of an output's row do not say.
Words in_words(const ErrorReport::Output& output) {
  if (is_exact(output)) return "exact";
  if (output.kind == OutputKind::Integers)
    return {count(output.differing), " of ", count(output.elements), " elements differ"};
  if (!output.sqnr_db) return "0 throughout in FP32";
  if (!output.agreement) return {};
  return {output.kind == OutputKind::Signs ? "sign agreement " : "argmax agreement ", percent(*output.agreement)};
}

/// Lists the error at some steps of models with states.
document::Grid steps_table(const ErrorReport& error) {
  document::Grid table{.id = "error-steps",
                       .label = "Error by step",
                       .columns = {{"Step"},
                                   {"SQNR", Kind::Number, metrics::kSqnr.meaning},
                                   {"Argmax", Kind::Number, metrics::kArgmaxAgreement.meaning}},
                       .search = false,
                       .noun = "step"};
  if (error.steps.size() < 2) return table;
  for (const ErrorReport::AtStep& one : error.steps)
    table.rows.push_back({{count(one.step), decibels(one.sqnr_db.value_or(kUndefined)),
                           one.argmax_agreement ? percent(*one.argmax_agreement) : Words()}});
  return table;
}

/// Lists the samples, in the order of the source.
document::Grid by_sample_table(const ErrorReport& error) {
  document::Grid table{.id = "error-samples",
                       .label = "Search samples",
                       .columns = {{"Sample", Kind::Name}, {"SQNR", Kind::Number, "Of the worst output"}},
                       .heading = "error of each sample",
                       .folded = {"Every sample: ", count(error.by_sample.size())},
                       .noun = "sample",
                       .detail = true};
  const bool scored = std::ranges::any_of(error.by_sample, [](const auto& one) { return one.score.has_value(); });
  if (scored) table.columns.push_back({"Score", Kind::Number, "Of the metric that decides"});
  for (const ErrorReport::Sample& sample : error.by_sample) {
    document::Grid::Row& row = table.rows.emplace_back();
    row.cells = {name(sample.name), decibels(sample.sqnr_db.value_or(kUndefined), 2)};
    if (scored) row.cells.emplace_back(significant(sample.score.value_or(kUndefined), 6));
  }
  return table;
}

}  // namespace

document::Grid outputs_table(const std::vector<ErrorReport::Output>& outputs) {
  document::Grid table{.id = "error-table",
                       .label = "Error of each output",
                       .columns = {{"Output", Kind::Name},
                                   {"SQNR", Kind::Number, metrics::kSqnr.meaning},
                                   {"Cosine", Kind::Number, metrics::kCosine.meaning},
                                   {"In words", Kind::Words}},
                       .search = false,
                       .noun = "output",
                       .most = kOutputsShown,
                       .detail = outputs.size() < 2};
  for (const ErrorReport::Output& output : worst_first(outputs))
    table.rows.push_back({{name(output.name), decibels(output.sqnr_db.value_or(kUndefined), 2),
                           fixed(output.cosine.value_or(kUndefined), metrics::kCosine.decimals),
                           output.kind == OutputKind::Integers && output.agreement
                               ? Words{in_words(output), ", ", percent(*output.agreement), " are equal"}
                               : in_words(output)}});
  return table;
}

Words error_words(const ErrorReport::Output& output) {
  if (is_exact(output) || output.kind == OutputKind::Integers || !output.sqnr_db) return in_words(output);
  const Words cosine = output.cosine ? Words{"cosine ", fixed(*output.cosine, metrics::kCosine.decimals)} : Words();
  return joined({{"SQNR ", decibels(*output.sqnr_db)}, cosine, in_words(output)});
}

Words worst_words(const ErrorReport& error) {
  if (error.outputs.empty()) return "no output could be compared";
  const Words agreement =
      error.detections ? Words{"detections agree to ", percent(error.detections->agreement, 1), " mAP, "} : Words();
  if (error.outputs.size() == 1) return {agreement, error_words(error.outputs.front())};
  if (std::ranges::all_of(error.outputs, is_exact))
    return {"none: all ", count(error.outputs.size(), "output"), " exact"};
  const ErrorReport::Output worst = worst_first(error.outputs).front();
  return {agreement,
          worst.sqnr_db && !is_exact(worst) ? Words{"SQNR ", decibels(*worst.sqnr_db)} : error_words(worst),
          " at ",
          document::quoted(worst.name),
          ", the worst of ",
          count(error.outputs.size(), "output")};
}

Words meaning_words(const OutputReport& output) { return {std::string(name_of(output.kind)), ": ", output.reason}; }

Section meanings(const std::vector<OutputReport>& outputs) {
  Section section{Topic::Error, {}};
  for (const OutputReport& one : outputs) {
    if (section.parts.size() == kOutputsShown) {
      section.parts.push_back(Line{{count(outputs.size() - kOutputsShown), " more outputs: --json lists them"}});
      break;
    }
    section.parts.push_back(Line{{"output ", document::quoted(one.name), " is ", meaning_words(one)}, Role::Detail});
  }
  return section;
}

Section error(const std::optional<ErrorReport>& report, const Words& what, const std::string& source) {
  if (!report) return {Topic::Error, {Line{{what, ": not measured: no data"}, Role::Statement, Where::Text}}};
  Words interval;
  if (const auto& known = report->sqnr_db_interval)
    interval = {", 95 % interval ", decibels(known->first), " to ", decibels(known->second)};
  Section section{Topic::Error,
                  {Line{{what, " on ", count(report->samples, "sample"), ": ", worst_words(*report), interval,
                         source.empty() ? "" : "; measured on " + source}}}};
  if (!report->not_compared.empty()) section.parts.push_back(Line{report->not_compared, Role::Detail});
  section.parts.push_back(steps_table(*report));
  section.parts.push_back(outputs_table(report->outputs));
  section.parts.push_back(by_sample_table(*report));
  return section;
}

std::vector<Figures::Figure> error_figures(const std::optional<ErrorReport>& error) {
  std::vector<Figures::Figure> figures;
  if (!error) return figures;
  if (error->sqnr_db)
    figures.push_back({decibels(*error->sqnr_db),
                       error->outputs.size() > 1 ? "SQNR of the worst output" : "SQNR",
                       {"on ", count(error->samples, "sample")}});
  for (const auto& [metric, member] : kErrorMetrics)
    if (metric.is_agreement() && (*error).*member)
      figures.push_back({percent(*((*error).*member)), {metric.label, " as FP32"}});
  return figures;
}

}  // namespace detent::build
