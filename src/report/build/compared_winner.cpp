#include <cmath>

#include "report/build/compared.h"
#include "report/build/sections.h"
#include "report/compared_types.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;

std::optional<double> score_of(const Compared& compared, size_t variant) {
  return find_metric(compared.variants[variant]->metrics, compared.report.criterion);
}

/// Returns true for two names of one model: `auto` and the calibrator that it takes.
bool same_model(const Compared& compared, size_t a, size_t b) {
  return compared.calibrators[a] == compared.variants[b]->name || compared.calibrators[b] == compared.variants[a]->name;
}

/// Returns the variant closest to the winner; nothing when no other has a score.
std::optional<size_t> next_best(const Compared& compared, size_t winner) {
  const bool falls = metric_named(compared.report.criterion).falls();
  std::optional<size_t> best;
  for (size_t v = 0; v < compared.variants.size(); ++v) {
    const auto score = score_of(compared, v);
    if (v == winner || !compared.quantized[v] || same_model(compared, v, winner)) continue;
    if (!score || std::isnan(*score)) continue;
    const double so_far = best ? *score_of(compared, *best) : 0;
    if (!best || (falls ? *score < so_far : *score > so_far)) best = v;
  }
  return best;
}

/// Returns the difference of two scores as they are printed, without a sign: "2.05 points", "1.20 dB".
Words difference(const Metric& metric, double a, double b) {
  Number amount = amount_of(metric, std::abs(a - b));
  if (metric.decimals != Metric::kSignificantDigits) {
    const double steps = metric.factor() * std::pow(10, metric.decimals);
    amount.value = std::abs(std::round(steps * a) - std::round(steps * b)) / steps;
  }
  return amount;
}

/// Returns "2.05 points above NAME"; "level with NAME" where both are printed alike.
Words beside(const Metric& metric, double score, double other, const Words& name) {
  if (number_text(number_of(metric, score)) == number_text(number_of(metric, other))) return {"level with ", name};
  const char* side = score > other ? "above " : "below ";
  if (!std::isfinite(score - other)) return {side, name};
  return {difference(metric, score, other), " ", side, name};
}

/// Returns "6.50 points above the next, max, and 2.50 points below FP32"; empty where there is neither.
Words lead_words(const Compared& compared, size_t winner, double score) {
  const Metric& metric = metric_named(compared.report.criterion);
  std::vector<Words> parts;
  if (const auto next = next_best(compared, winner))
    parts.push_back(beside(metric, score, *score_of(compared, *next), {"the next, ", compared.variants[*next]->name}));
  if (const auto fp32 = find_metric(compared.report.fp32, compared.report.criterion))
    parts.push_back(beside(metric, score, *fp32, "FP32"));
  return joined(parts, ", and ");
}

/// Returns "max and mse score the same within the noise of 24 samples", or that no other candidate does, as a clause;
/// empty without another candidate, and without standard errors.
Words certainty_words(const Compared& compared, size_t winner) {
  if (compared.variants.size() < 2 || !compared.variants[winner]->score_error) return {};
  const std::vector<Words> ties(compared.report.ties.begin(), compared.report.ties.end());
  const Words noise{"the noise of ", count(compared.report.evaluation_samples, "sample")};
  if (ties.empty()) return {"better than every other one beyond ", noise};
  const Words first = joined({ties.begin(), ties.end() - 1});
  return {joined({first, ties.back()}, " and "), ties.size() == 1 ? " scores" : " score", " the same within ", noise};
}

/// Returns what pages say first.
Words headline(const Compared& compared, size_t winner, const std::optional<double>& score, const Words& lead,
               const Words& certainty) {
  const std::string& calibrator = compared.calibrators[winner];
  Words words{strong(compared.variants[winner]->name), calibrator.empty() ? "" : " with ranges of " + calibrator,
              compared.variants.size() == 1
                  ? Words(" reaches ")
                  : Words{" is the best of ", count(compared.variants.size(), "candidate"), ": "}};
  if (score) {
    const Metric& metric = metric_named(compared.report.criterion);
    words += {metric.label, " ", number_of(metric, *score), "."};
  }
  if (!lead.empty()) words += {" That is ", lead, "."};
  if (!certainty.empty()) words += {compared.report.ties.empty() ? " It is " : " ", certainty, "."};
  return words;
}

}  // namespace

Number amount_of(const Metric& metric, double amount) {
  Number number = number_of(metric, amount);
  if (metric.unit == MetricUnit::Fraction)
    number.bare = true, number.noun = "point";
  else if (metric.unit == MetricUnit::Nats)
    number.noun = "nat";
  return number;
}

Document comparison_document(const Compared& compared, const std::string& target) {
  const ComparisonReport& report = compared.report;
  return {.subject = {"Comparison of ", compared.kind, "s"},
          .title = "comparison of " + compared.kind + "s",
          .file = report.model,
          .facts = model_facts(report),
          .aside = {"target ", target},
          .figures = {winner_figures(compared)}};
}

Section judged(const Compared& compared, const Words& variants) {
  const ComparisonReport& report = compared.report;
  Section section{Topic::Model, {}};
  section.parts.push_back(
      Line{{"calibrated ", samples_words(report.calibration_samples, report.steps), " in ",
            seconds(report.calibration_seconds), "; judged ", variants, " on ",
            samples_words(report.evaluation_samples, report.steps), states_words(report.steps),
            report.evaluation_spread ? ", evenly over --eval," : "", " in ", seconds(report.evaluation_seconds)}});
  section.parts.push_back(Line{labelled("labels: ", report.labels)});
  section.parts.push_back(Line{skipped_words(report.skipped_samples)});
  return section;
}

void add_winner(Document& document, const Compared& compared, const std::string& option) {
  const auto winner = compared.winner();
  if (!winner) {
    document.verdict.push_back(Line{"No variant was compared."});
    return;
  }
  const auto score = score_of(compared, *winner);
  const Words lead = score ? lead_words(compared, *winner, *score) : Words();
  const Words certainty = certainty_words(compared, *winner);
  std::vector<Line>& lines = document.verdict;
  lines.push_back({headline(compared, *winner, score, lead, certainty), Role::Statement, Where::Page});
  lines.push_back({{"* best by ", metric_named(compared.report.criterion).title, ": ", option, compared.report.winner},
                   Role::Apart,
                   Where::Text});
  for (const Words& words : {lead, certainty}) lines.push_back({words, Role::Detail, Where::Text});
}

std::vector<Figures::Figure> winner_figures(const Compared& compared) {
  const auto winner = compared.winner();
  std::vector<Figures::Figure> figures;
  if (!winner) return figures;
  const ComparedVariant& best = *compared.variants[*winner];
  const auto add = [&](const Metric& metric) {
    const auto score = find_metric(best.metrics, metric.name);
    if (!score) return;
    const auto fp32 = find_metric(compared.report.fp32, metric.name);
    figures.push_back(
        {number_of(metric, *score), metric.label, fp32 ? Words{"FP32 ", number_of(metric, *fp32)} : Words()});
  };
  const Metric& criterion = metric_named(compared.report.criterion);
  add(criterion);
  if (criterion == metrics::kNats) add(metrics::kPerplexity);
  if (criterion != metrics::kSqnr) add(metrics::kSqnr);
  for (const Metric& metric : kMetrics)
    if (criterion == metrics::kSqnr && metric.is_agreement()) add(metric);
  if (best.size_bytes > 0) figures.push_back({bytes(best.size_bytes), "file size"});
  return figures;
}

}  // namespace detent::build
