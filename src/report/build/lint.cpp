#include <algorithm>
#include <array>

#include "core/text.h"
#include "report/build/documents.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;

constexpr std::array<const char*, 3> kLevels{"error", "warning", "note"};  // worst first

/// Says "built for onnxruntime: UINT8 with zero points, INT32 biases; 118 findings for tensorrt follow from that".
Words origin_words(const LintReport& report) {
  if (report.origin == "qoperator") return "integer operators (QOperator)";
  if (report.origin == "float")
    return report.findings.empty() ? "float: it has no pairs to check; `detent plan` shows where they would go"
                                   : "float: it has no pairs, so only its float types are checked";
  if (report.built_for.empty()) return report.codes.empty() ? "Q/DQ" : "Q/DQ, " + report.codes;
  const std::string target = report.plan.target.substr(0, report.plan.target.find(':'));
  const bool some = report.following != report.findings.size();
  return {"built for ",
          report.built_for,
          ": ",
          report.codes,
          "; ",
          some ? count(report.following) : Words(),
          some ? " of " : "",
          count(report.findings.size(), "finding"),
          " for ",
          target,
          report.following == 1 ? " follows" : " follow",
          " from that"};
}

Words counts_words(const LintReport& report) {
  std::vector<Words> counts;
  for (const char* level : kLevels) counts.push_back(count(report.count(level), level));
  return joined(counts);
}

/// Says what the page begins with: the number of findings, coloured by the worst.
Words lint_verdict(const LintReport& report) {
  if (report.origin == "float")
    return report.findings.empty() ? "A float model: it has no pairs, so there is nothing to check."
                                   : "A float model: it has no pairs; its float types are checked.";
  const Words target{" for ", report.plan.target, "."};
  if (report.findings.empty()) return {Span{Span::Look::Good, "No finding"}, target};
  const auto look = report.count("error") > 0     ? Span::Look::Broken
                    : report.count("warning") > 0 ? Span::Look::Doubtful
                                                  : Span::Look::Good;
  return {Span{look, plain_text(counts_words(report))}, target};
}

/// Lists the layers that the file runs in floats.
document::Grid float_layers(const PlanReport& plan) {
  document::Grid table{.heading = "float layers", .noun = "layer", .whole = static_cast<double>(plan.coverage.macs)};
  for (const auto& layer : plan.layers)
    if (!layer.runs_on_codes())
      table.rows.push_back({.item = {{.lead = "  ",
                                      .name = name(layer.name),
                                      .after = " (" + layer.op + ")",
                                      .rule = layer.rule,
                                      .reason = layer.reason,
                                      .part = static_cast<double>(layer.macs)}}});
  return table;
}

/// True where the text names a rule.
bool names_rule(const LintReport& report) {
  const auto by_rule = [](const PlanReport::Layer& layer) { return !layer.runs_on_codes() && layer.rule != "-"; };
  const auto in_message = [](const auto& finding) { return finding.message.find(" by rule ") != std::string::npos; };
  return std::ranges::any_of(report.plan.layers, by_rule) || std::ranges::any_of(report.findings, in_message);
}

/// Says how the file runs: its coverage, its speed, and the layers in floats.
void add_coverage(Document& document, const LintReport& report) {
  const PlanReport& plan = report.plan;
  Section shares = coverage(plan);
  std::erase_if(shares.parts, [](const Part& part) {
    const auto* line = std::get_if<Line>(&part);
    return line && (line->role == Role::Statement || line->role == Role::Apart);  // of plans
  });
  shares.parts.insert(shares.parts.begin(),
                      Line{{coverage_words(plan.coverage), "; ", count(plan.coverage.pairs, "value"), " with pairs"}});
  document.sections.push_back(std::move(shares));
  document.sections.push_back(quantizers(plan));
  document.sections.push_back({Topic::Placement, {float_layers(plan)}});
}

}  // namespace

Section findings(const LintReport& report) {
  if (report.findings.empty()) return {Topic::Findings, {}};
  return {Topic::Findings,
          {Line{{"Worst first. The engine refuses an error or computes something else; a warning costs a fusion or a "
                 "layer in ",
                 name_of(report.plan.coverage.type), ". Each kind shows how to fix its first finding."},
                Role::Lead},
           Findings{report.findings}}};
}

Document document_of(const LintReport& report) {
  const PlanReport& plan = report.plan;
  const bool pairs = report.origin != "float";
  Document document{.subject = {"What runs in ", name_of(plan.coverage.type)},
                    .title = "lint",
                    .file = plan.model,
                    .facts = model_facts(plan),
                    .aside = {"target ", plan.target},
                    .verdict = {Line{lint_verdict(report), Role::Statement, Where::Page}},
                    .figures = {coverage_figures(plan.coverage)}};
  if (plan.coverage.pairs > 0) document.figures.figures.push_back({count(plan.coverage.pairs), "values with pairs"});
  document.verdict.push_back(Line{origin_words(report), Role::Detail, Where::Page});
  document.sections.push_back({Topic::Model, {Line{origin_words(report), Role::Statement, Where::Text}}});
  const bool checked = pairs || !report.findings.empty();
  if (pairs) add_coverage(document, report);
  if (checked) document.sections.push_back(findings(report));
  for (const std::string& note : plan.notes) {
    document.verdict.push_back(Line{note, Role::Detail, Where::Page});
    document.sections.push_back({Topic::Model, {Line{note, Role::Apart, Where::Text}}});
  }
  if (!checked) return document;
  document.sections.push_back({Topic::Model, {Line{counts_words(report), Role::Apart, Where::Text}}});
  if (names_rule(report))
    document.sections.push_back({Topic::Model, {Line{rules_words(), Role::Statement, Where::Text}}});
  document.sections.push_back(graph(plan, report.findings));
  PlanReport placed = plan;
  placed.notes.clear();  // they stand above
  document.sections.push_back(placement(placed, Listed::Nothing));
  return document;
}

Document document_of(const std::vector<FindingInfo>& kinds) {
  document::Grid table{.columns = {{"", Kind::Name}, {"", Kind::Words}}, .noun = "finding"};
  for (const FindingInfo& kind : kinds)
    table.rows.push_back({{name(kind.id), Words(kind.summary + " (" + kind.levels + ")")}});
  return {.subject = "Findings",
          .title = "findings",
          .sections = {{Topic::Findings,
                        {Line{"Findings"}, table, Line{"src/place/RULES.md explains each of them", Role::Apart}}}}};
}

}  // namespace detent::build
