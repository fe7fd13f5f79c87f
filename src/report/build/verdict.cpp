#include <algorithm>
#include <cmath>

#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using Look = Span::Look;
using Blame = VerdictReport::Blame;

constexpr size_t kBlamedShown = 3;
constexpr double kTold = 0.1;  // dB by which a measurement on few samples may vary

Span::Look look_of(Quality quality) {
  return quality == Quality::Good ? Look::Good : quality == Quality::Broken ? Look::Broken : Look::Doubtful;
}

/// Returns "Broken: SQNR -2.9 dB at 'logits', ..." with a coloured first word.
Words headline(const VerdictReport& verdict, bool measured) {
  if (!verdict.quality)
    return {strong("No verdict"), ": ", measured ? "there is nothing to judge." : "no error was measured."};
  std::string word(name_of(*verdict.quality));
  word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return {Span{look_of(*verdict.quality), word}, ": ", joined({verdict.reasons.begin(), verdict.reasons.end()}), "."};
}

/// Says which values cost most, by the gain at the output without their pair.
void add_blame(std::vector<Line>& lines, const VerdictReport& verdict, size_t outputs) {
  std::vector<Blame> shown = verdict.blame;
  if (shown.empty()) return;
  const Words on_samples{" on ", count(verdict.blame_samples, "sample")};
  std::erase_if(shown, [&](const Blame& one) { return one.sqnr_db_without < verdict.blame_sqnr_db + kTold; });
  if (!shown.empty()) {
    shown.resize(std::min(shown.size(), kBlamedShown));
    for (const Blame& one : shown)
      lines.push_back({{"without the pair on ", document::quoted(one.value),
                        outputs > 1 ? " the worst output has " : " the output has ", decibels(one.sqnr_db_without),
                        " instead of ", fixed(verdict.blame_sqnr_db, 1), on_samples},
                       Role::Detail,
                       Where::Text});
    return;
  }
  shown = verdict.blame;
  std::ranges::stable_sort(shown, {}, &Blame::sqnr_db);
  shown.resize(std::min(shown.size(), kBlamedShown));
  std::vector<Words> names;
  for (const Blame& one : shown) names.push_back({document::quoted(one.value), " (", decibels(one.sqnr_db), ")"});
  lines.push_back({{"no single value explains it; those with the largest error by themselves are ", joined(names)},
                   Role::Detail,
                   Where::Text});
}

/// Returns "try --min-sqnr 20, which keeps layers float" with the option in code type.
Words cure_words(const std::string& text) {
  const size_t end = text.starts_with("--") ? std::min(text.find(','), text.size()) : 0;
  return {"try ", code(text.substr(0, end)), text.substr(end)};
}

void add_labels(std::vector<Line>& lines, const ScoreReport& score) {
  if (!score.labels.empty()) lines.push_back({"labels: " + score.labels, Role::Detail});
}

}  // namespace

Words score_words(const Metric& metric, double score) {
  if (metric == metrics::kSqnr) return {"SQNR ", decibels(score)};
  if (metric == metrics::kNats)
    return {number_of(metric, score), " ", metric.loss, ", perplexity ",
            number_of(metrics::kPerplexity, std::exp(score))};
  return {metric.title, " ", number_of(metric, score)};
}

Words score_words(const BoundReport& bound, double score) {
  const bool of_several = bound.metric == metrics::kSqnr.name && !bound.output.empty();
  return {score_words(metric_named(bound.metric), score), of_several ? " at the worst output" : ""};
}

Words interval_words(const ScoreReport& score) {
  const Metric& metric = metric_named(score.metric);
  Words drop;
  if (score.drop) {
    Number amount = number_of(metric, *score.drop);
    amount.bare = metric.unit == MetricUnit::Fraction || metric.unit == MetricUnit::Decibels;
    drop = {metric.falls() ? "rise " : "drop ", amount, " ", metric.loss, ", "};
  }
  if (!score.interval)
    return {drop, metric.source == MetricSource::Command
                      ? "interval unknown: the command gives one number for all samples"
                      : "interval unknown: fewer than two samples"};
  Number low = number_of(metric, score.interval->first), high = number_of(metric, score.interval->second);
  low.bare = true, high.bare = metric.unit != MetricUnit::Decibels;
  return {drop, "95 % interval ", low, " to ", high};
}

Words outcome_words(const BoundReport& bound) {
  const Words words{name_of(bound.outcome), ": ", interval_words(bound.score)};
  if (bound.outcome != BoundOutcome::NotShown || !bound.score.interval) return words;
  if (!bound.samples_needed) return {words, "; the score lies at the bound itself"};
  return {words, "; it would be within the bound on about ", count(*bound.samples_needed, "sample"),
          " with the same score"};
}

Words unmet_words(const BoundReport& bound) {
  return {bound.bound,
          " cannot be met with any layer in ",
          bound.codes,
          " that was tried: the best reaches ",
          score_words(bound, bound.reached),
          bound.fp32 ? Words{", FP32 ", score_words(bound, *bound.fp32)} : Words(),
          "; it was written"};
}

void add_bound(Document& document, const BoundReport& report) {
  Words words{report.bound, report.met ? ": " : " NOT MET: ", score_words(report, report.reached)};
  if (report.fp32) words += {" (FP32 ", score_words(report, *report.fp32), ")"};
  for (const auto& [name, value] : report.metrics) {
    const Metric& metric = metric_named(name);
    words += {", ", metric.title, " ", number_of(metric, value)};
    if (const auto fp32 = report.fp32_metrics.find(name); fp32 != report.fp32_metrics.end())
      words += {" (FP32 ", number_of(metric, fp32->second), ")"};
  }
  if (!report.kept.empty()) words += {", without it ", score_words(report, report.all_int8)};
  words += {"; on ", count(report.samples, "sample"), ", ", count(report.measurements, "measurement"),
            " in ",  seconds(report.seconds)};
  std::vector<Line>& lines = document.verdict;
  lines.push_back({words, Role::Beside});
  lines.push_back({outcome_words(report), Role::Detail});
  add_labels(lines, report.score);
  for (const auto& item : report.kept)  // the lists of float layers and of 16-bit nodes have the others
    if (!item.weighted && !report.wide)
      lines.push_back({{"kept float: ", name(item.name), " (", item.op, ")  ", item.reason}, Role::Detail});
}

void add_score(Document& document, const ScoreReport& score) {
  const Metric& metric = metric_named(score.metric);
  const Words fp32 = score.fp32 ? Words{" (FP32 ", score_words(metric, *score.fp32), ")"} : Words();
  document.verdict.push_back({{"score: ", score_words(metric, score.quantized), fp32, ", ", interval_words(score),
                               "; on ", count(score.samples, "sample")},
                              Role::Beside});
  add_labels(document.verdict, score);
}

void add_verdict(Document& document, const VerdictReport& verdict, const std::optional<ErrorReport>& error) {
  std::vector<Line>& lines = document.verdict;
  lines.push_back({headline(verdict, error.has_value()), Role::Statement, Where::Page});
  const Words reasons = joined({verdict.reasons.begin(), verdict.reasons.end()});
  lines.push_back({{"verdict: ", verdict.quality ? name_of(*verdict.quality) : "none",
                    reasons.empty() ? Words() : Words{" (", reasons, ")"}},
                   Role::Statement,
                   Where::Text});
  for (const std::string& caveat : verdict.caveats) lines.push_back({caveat, Role::Detail});
  add_blame(lines, verdict, error ? error->outputs.size() : 0);
  for (const std::string& cure : verdict.cures) lines.push_back({cure_words(cure), Role::Detail});
}

void add_early_end(Document& document, const EarlyEndReport& ended) {
  if (ended.reason.empty()) return;
  const Words missing = joined({ended.left_out.begin(), ended.left_out.end()});
  const Words words{ended.reason == "interrupted" ? "interrupted" : "ended by the time limit",
                    "; the result is the best so far", missing.empty() ? Words() : Words{", without: ", missing}};
  if (document.warning.empty())
    document.warning = words;
  else
    document.verdict.insert(document.verdict.begin(), Line{words});
}

void add_input_check(Document& document, const InputCheckReport& check, bool always) {
  if (check.verdict == InputCheckReport::Verdict::Good && !always) return;
  const Words words{"input: ", name_of(check.verdict), ": ",
                    joined({check.reasons.begin(), check.reasons.end()}, "; ")};
  document.warning = document.warning.empty() ? words : Words{words, ". ", document.warning};
  document.verdict.push_back(Line{{"next: ", document::code(check.command)}, Role::Detail});
}

Section blame(const VerdictReport& verdict, const std::vector<ValueHistogram>& histograms) {
  Section section{Topic::Blame, {}};
  if (verdict.blame.empty()) return section;
  document::Grid table{.id = "blame-table",
                       .label = "Values to blame",
                       .columns = {{"Value", Kind::Name},
                                   {"", Kind::Chart},
                                   {"Without", Kind::Minor, "SQNR at the outputs when this value alone has no pair"},
                                   {"Gain", Kind::Number, "Over the SQNR with all pairs"},
                                   {"Itself", Kind::Minor, "SQNR of the value after its pair"}},
                       .heading = "values to blame",
                       .noun = "value",
                       .scale = Scale{.series = {{"alone", "without this one"}},
                                      .reference = verdict.blame_sqnr_db,
                                      .reference_meaning = {"all pairs, ", decibels(verdict.blame_sqnr_db)}},
                       .detail = true};
  for (const Blame& one : verdict.blame) {
    Cell chart{Words()};
    chart.marks = {one.sqnr_db_without};
    Cell title{name(one.value)};
    if (const auto found = std::ranges::find(histograms, one.value, &ValueHistogram::name); found != histograms.end())
      title.link = "value-" + std::to_string(found - histograms.begin() + 1);
    table.rows.push_back({{title, chart, decibels(one.sqnr_db_without),
                           gain(verdict.blame_sqnr_db, one.sqnr_db_without), decibels(one.sqnr_db)}});
  }
  section.parts = {Line{{"Gain at the outputs when one value alone has no pair, measured on ",
                         count(verdict.blame_samples, "sample"), " for the values with the largest error."},
                        Role::Lead},
                   std::move(table)};
  return section;
}

}  // namespace detent::build
