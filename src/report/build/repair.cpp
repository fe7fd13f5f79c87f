#include <algorithm>
#include <array>

#include "report/build/documents.h"
#include "report/build/sections.h"
#include "report/lists.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using Pair = RepairReport::Pair;

constexpr std::array<const char*, 4> kActions{"kept", "moved", "removed", "added"};

auto count_of(const RepairReport& report, const char* action) {
  return std::ranges::count(report.pairs, action, &Pair::action);
}

/// Lists the pairs, those that changed first.
document::Grid pairs_table(const RepairReport& report) {
  document::Grid table{.id = "pair-table",
                       .label = "Search pairs",
                       .columns = {{"Action", Kind::Tag}, {"Value", Kind::Name}},
                       .noun = "pair"};
  for (const Pair& pair : report.pairs) {
    const bool kept = pair.action == "kept";
    const bool rule = !pair.rule.empty() && pair.rule != "-";
    Cell action{Words(pair.action)};
    action.key = static_cast<double>(std::ranges::find(kActions, pair.action) - kActions.begin());
    action.tone = kept ? Tone::Usual : Tone::Doubtful;
    std::string lead = "  " + pair.action;
    lead.resize(std::max<size_t>(lead.size(), 11), ' ');
    table.rows.push_back(
        {.cells = {action, Cell(name(pair.value), Words(rule ? pair.rule + ": " + pair.reason : pair.reason))},
         .item = {{.lead = lead,
                   .name = name(pair.value),
                   .after = {},
                   .rule = pair.rule,
                   .reason = pair.reason,
                   .detail = kept}}});
  }
  return table;
}

Section pairs(const RepairReport& report) {
  Section section{Topic::Pairs, {}};
  std::vector<Part>& parts = section.parts;
  if (!report.changed)
    parts.push_back(Line{{"every pair stands where ", report.target, " wants it: nothing to repair"}});
  std::vector<Words> counts;
  for (const char* action : kActions) counts.push_back({count(count_of(report, action)), " ", action});
  if (report.changed) parts.push_back(Line{{"pairs: ", joined(counts)}});
  parts.push_back(pairs_table(report));
  const Words anew =
      report.weights_anew.empty() ? Words() : Words{", ", count(report.weights_anew.size()), " got others"};
  if (report.changed) parts.push_back(Line{{"weights: ", count(report.weights_kept), " keep their codes", anew}});
  if (report.changed)
    for (const std::string& weight : report.weights_anew) parts.push_back(Line{name(weight), Role::Detail});
  if (report.measured > 0)
    parts.push_back(
        Line{{"measured ", count(report.measured, "value"), " without a scale on ", count(report.samples, "sample")}});
  return section;
}

Words faults(const LintReport& lint) {
  return {count(lint.count("error"), "error"), " and ", count(lint.count("warning"), "warning")};
}

Section findings_left(const RepairReport& report) {
  return {Topic::Findings,
          {Line{{"lint: ", faults(report.before), " before, ", faults(report.lint), " now"}},
           Findings{report.lint.findings}}};
}

/// Lists each score of the file before and of the written file.
Section scores(const RepairReport& report) {
  Section section{Topic::Scores, {}};
  if (report.scores.empty()) return section;
  section.parts.push_back(
      Line{{"scores on ", samples_words(report.evaluation_samples, report.steps), ", the file before -> after:"}});
  section.parts.push_back(Line{labelled("labels: ", report.labels), Role::Detail});
  document::Grid table{.id = "repair-scores",
                       .label = "Scores",
                       .columns = {{"", Kind::Name, "", 12}, {"", Kind::Words}, {"", Kind::Number}},
                       .search = false};
  for (const Metric& metric : kMetrics) {
    const auto before = report.scores_before.find(metric.name), after = report.scores.find(metric.name);
    if (before == report.scores_before.end() || after == report.scores.end()) continue;
    table.rows.push_back({.cells = {Cell(Words(metric.title)), Cell(Words{number_of(metric, before->second), arrow(),
                                                                          number_of(metric, after->second)})}});
  }
  section.parts.push_back(std::move(table));
  return section;
}

/// Says what the page begins with.
Words repair_verdict(const RepairReport& report) {
  if (!report.changed) return Span{Span::Look::Good, "Nothing to repair"};
  const auto both = [](const LintReport& lint) { return lint.count("error") + lint.count("warning"); };
  const size_t left = both(report.lint);
  return Span{left == 0 ? Span::Look::Good : Span::Look::Doubtful,
              plain_text({count(both(report.before), "error or warning", "errors and warnings"), " before, ",
                          count(left), " now"})};
}

}  // namespace

Document document_of(const RepairReport& report) {
  const PlanReport& plan = report.lint.plan;
  Document document{.subject = "Repair",
                    .title = "repair",
                    .file = report.model,
                    .facts = model_facts(plan),
                    .aside = {"target ", report.target},
                    .verdict = {Line{repair_verdict(report), Role::Statement, Where::Page}}};
  for (const char* action : kActions)
    document.figures.figures.push_back({count(count_of(report, action)), Words{"pairs ", action}});
  Section difference{Topic::Error, {}};
  if (report.error && report.changed) {
    difference = error(report.error, "difference from the file before");
    add_verdict(document, report.verdict, report.error);
  }
  document.verdict.push_back(Line{
      {"wrote ", name(report.output), " (", bytes(report.bytes_after), ", before ", bytes(report.bytes_before), ")"},
      Role::Beside});
  Section graphs{Topic::Graph, {}};
  if (!report.before.plan.graph.nodes.empty() && !plan.graph.nodes.empty())
    graphs.parts = {Drawing{RepairedGraphs{&report}}};
  document.sections = {pairs(report),  findings_left(report), difference, blame(report.verdict),
                       scores(report), coverage(plan),        graphs,     placement(plan, Listed::Nothing)};
  return document;
}

}  // namespace detent::build
