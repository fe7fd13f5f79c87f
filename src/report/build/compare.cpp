#include <algorithm>
#include <utility>

#include "core/text.h"
#include "report/build/compared.h"
#include "report/build/documents.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;

/// Makes a section one of several targets: its first line begins with the target, its tables have other ids, and only
/// the first target says what holds for all.
Section of_target(Section section, const std::string& target, size_t number) {
  bool named = false;
  std::vector<Part> parts;
  for (Part& part : section.parts) {
    auto* line = std::get_if<Line>(&part);
    if (line && line->role == Role::Lead && number > 0) continue;
    if (line && line->role != Role::Lead && !std::exchange(named, true))
      line->words = {strong(target), ": ", line->words};
    if (auto* grid = std::get_if<document::Grid>(&part); grid && !grid->id.empty() && number > 0)
      grid->id += "-" + std::to_string(number + 1);
    parts.push_back(std::move(part));
  }
  return {section.topic, std::move(parts)};
}

/// Adds what a target makes of the model: its shares, float layers, equalization and 16-bit nodes.
void add_target(Document& document, const TargetVariant& variant, size_t number) {
  Section layers = placement(variant.plan, Listed::FloatLayers);
  if (!layers.parts.empty()) {  // the lead counts the float layers of this target
    auto& line = std::get<Line>(layers.parts.front());
    line.role = Role::Statement, line.where = Where::Page;
  }
  for (Section& section : std::vector{coverage(variant.plan), std::move(layers), equalization(variant.equalized),
                                      floats(variant.plan.floats)})
    document.sections.push_back(of_target(std::move(section), variant.target, number));
}

/// Returns the shares on codes and the number of float layers of each variant.
std::vector<OwnColumn> share_columns(const CompareTargetsReport& report) {
  if (report.variants.empty()) return {};
  const std::string codes(name_of(report.variants.front().plan.coverage.type));
  std::vector<OwnColumn> columns{{{codes + " MACs", Kind::Number, "Share of the multiply-accumulates"}, {}},
                                 {{codes + " layers", Kind::Number, "Share of the weighted operators"}, {}},
                                 {{"Float", Kind::Number, "Weighted operators that stay float"}, {}}};
  for (const TargetVariant& variant : report.variants) {
    const CoverageReport& coverage = variant.plan.coverage;
    const auto share = [](int64_t part, int64_t whole) { return whole > 0 ? share_of(part, whole) : Words(); };
    columns[0].cells.emplace_back(share(coverage.int8_macs, coverage.macs));
    columns[1].cells.emplace_back(share(coverage.int8_layers, coverage.layers));
    columns[2].cells.emplace_back(
        count(std::ranges::count(variant.plan.layers, false, &PlanReport::Layer::runs_on_codes)));
  }
  return columns;
}

/// Returns "3 targets", or "6 variants of 3 targets" with several calibrators.
Words targets_words(const CompareTargetsReport& report) {
  const size_t variants = report.variants.size(), targets = report.targets.size();
  if (targets == variants) return count(targets, "target");
  return {count(variants, "variant"), " of ", count(targets, "target")};
}

}  // namespace

Compared compared(const CompareCalibratorsReport& report) {
  Compared rows{report, "calibrator", {}, {}, std::vector<bool>(report.variants.size(), true)};
  for (const CalibratorVariant& one : report.variants)
    rows.variants.push_back(&one), rows.calibrators.push_back(one.takes);
  return rows;
}

Compared compared(const CompareTargetsReport& report) {
  Compared rows{report, "target", {}, {}, std::vector<bool>(report.variants.size(), true)};
  for (const TargetVariant& one : report.variants)
    rows.variants.push_back(&one),
        rows.calibrators.push_back(one.name.ends_with(" " + one.calibrator) ? "" : one.calibrator);
  return rows;
}

Document document_of(const CompareCalibratorsReport& report) {
  const Compared rows = compared(report);
  Document document = comparison_document(rows, report.target);
  add_winner(document, rows, "--calibrator ");
  add_early_end(document, report.ended);
  for (auto& figure : coverage_figures(report.plan.coverage)) document.figures.figures.push_back(std::move(figure));
  document.sections = {judged(rows, count(report.variants.size(), "calibrator")),
                       meanings(report.outputs),
                       outliers(report.outliers),
                       equalization(report.equalized),
                       coverage(report.plan),
                       floats(report.plan.floats),
                       candidates(rows, "Each was calibrated on the same histograms and run on the same samples.", {}),
                       detections(report.detections),
                       report.layers ? sensitivity(*report.layers) : Section{Topic::Sensitivity, {}},
                       values({&report.values,
                               &report.plan,
                               report.winner,
                               report.layers ? own_errors(*report.layers) : std::map<std::string, double>(),
                               {}}),
                       placement(report.plan, Listed::Nothing),
                       provenance(report.provenance, report.plan.floats)};
  return document;
}

Document document_of(const CompareTargetsReport& report) {
  const Compared rows = compared(report);
  Document document = comparison_document(rows, join(report.targets, ", "));
  add_winner(document, rows, "");
  add_early_end(document, report.ended);
  document.sections = {judged(rows, targets_words(report)), meanings(report.outputs), outliers(report.outliers)};
  std::string before;
  size_t number = 0;
  for (const TargetVariant& variant : report.variants) {
    if (variant.target == before) continue;  // another calibrator
    before = variant.target;
    add_target(document, variant, number++);
  }
  document.sections.push_back(
      candidates(rows, "Each was calibrated and run on the same samples.", share_columns(report)));
  document.sections.push_back(detections(report.detections));
  const auto winner = rows.winner();
  document.sections.push_back(
      provenance(report.provenance, winner ? report.variants[*winner].plan.floats : std::nullopt));
  return document;
}

}  // namespace detent::build
