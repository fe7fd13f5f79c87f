#include <map>

#include "report/build/documents.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;

/// Returns where equalization finds the values of a family.
std::string place_of(const std::string& family) {
  static const std::map<std::string, std::string> kPlaces = {{"gate", "at gates"},
                                                             {"linear", "linear"},
                                                             {"relu", "around Relu or Clip"},
                                                             {"norm", "after normalizations"},
                                                             {"act", "after Silu or HardSwish"},
                                                             {"product", "in products"},
                                                             {"value", "in attention"}};
  const auto found = kPlaces.find(family);
  return found == kPlaces.end() ? family : found->second;
}

/// Lists the values whose channels equalization could even out, by family.
Section equalizable(const PlanReport& plan) {
  Section section{Topic::Equalizable, {}};
  if (!plan.equalizable) return section;
  if (plan.equalizable->empty()) {
    section.parts = {Line{"equalizable: nothing", Role::Statement, Where::Text}};
    return section;
  }
  document::Grid table{.id = "equalizable-values",
                       .label = "Search values",
                       .columns = {{"Value", Kind::Name}, {"Family", Kind::Words}},
                       .capped = true,
                       .noun = "value"};
  std::vector<Words> counts;
  std::string names;
  for (const auto& family : *plan.equalizable) {
    counts.push_back({counts.empty() ? count(family.values.size(), "value") : count(family.values.size()), " ",
                      place_of(family.family)});
    names += (names.empty() ? "" : ",") + family.family;
    for (const std::string& value : family.values)
      table.rows.push_back(
          {.cells = {Cell(name(value)), Cell(Words(family.family))},
           .item = {{.lead = "  " + family.family + ": ", .name = name(value), .after = {}, .detail = true}}});
  }
  section.parts = {Line{{"equalizable: ", joined(counts), " (", code("--equalize " + names), ")"}}, std::move(table)};
  return section;
}

/// Says what the page begins with.
Words plan_verdict(const PlanReport& plan) {
  if (plan.coverage.pairs == 0 && plan.coverage.int8_layers == 0) return "Nothing would be quantized.";
  return {strong(plain_text(count(plan.coverage.pairs, "pair"))),
          " on ",
          count(plan.quantized_values, "value"),
          ": ",
          count(plan.coverage.int8_layers),
          " of ",
          count(plan.coverage.layers, "weighted layer"),
          " would run in ",
          name_of(plan.coverage.type),
          "."};
}

}  // namespace

Document document_of(const PlanReport& report) {
  Document document{.subject = "Placement",
                    .title = "placement",
                    .file = report.model,
                    .facts = model_facts(report),
                    .aside = {"target ", report.target},
                    .verdict = {Line{plan_verdict(report), Role::Statement, Where::Page}},
                    .figures = {coverage_figures(report.coverage)}};
  if (report.shared_scale_groups > 0)
    document.figures.figures.push_back({count(report.shared_scale_groups), "groups of shared scales"});
  Section head{Topic::Model, {Line{labelled("detections: ", report.detections)}}};
  if (report.folded_batchnorms)
    head.parts.push_back(
        Line{{count(report.folded_batchnorms, "BatchNormalization"), " folded into weights first (R3)"}});
  if (report.folded_operators)
    head.parts.push_back(
        Line{{count(report.folded_operators, "operator"), " by constants folded into weights first (R3)"}});
  const bool lists = !report.layers.empty() || !report.edges.empty();
  document.sections = {head,
                       placement(report, Listed::Everything),
                       coverage(report),
                       quantizers(report),
                       forecasts(report),
                       floats(report.floats),
                       graph(report),
                       equalizable(report),
                       {Topic::Model, {}}};
  if (lists) document.sections.back().parts = {Line{rules_words(), Role::Statement, Where::Text}};
  return document;
}

}  // namespace detent::build
