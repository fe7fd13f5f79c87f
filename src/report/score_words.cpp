#include "report/score_words.h"

#include <fmt/core.h>

#include "core/text.h"
#include "detent/base/metric.h"

namespace detent {

std::string interval_text(const ScoreReport& score) {
  const Metric& metric = metric_named(score.metric);
  std::string text = score.drop ? (metric.falls() ? "rise " : "drop ") + loss_text(metric, *score.drop) + ", " : "";
  if (!score.interval)
    return text + (metric.source == MetricSource::Command
                       ? "interval unknown: the command gives one number for all samples"
                       : "interval unknown: fewer than two samples");
  const auto [low, high] = *score.interval;
  if (metric.decimals == Metric::kSignificantDigits)
    return text + fmt::format("95 % interval {:.4g} to {:.4g}", low, high);
  text += fmt::format("95 % interval {:.{}f} to {:.{}f}", metric.factor() * low, metric.decimals,
                      metric.factor() * high, metric.decimals);
  return text + (metric.unit == MetricUnit::Decibels ? " dB" : "");
}

std::string outcome_text(const BoundReport& bound) {
  std::string text = std::string(name_of(bound.outcome)) + ": " + interval_text(bound.score);
  if (bound.outcome != BoundOutcome::NotShown || !bound.score.interval) return text;
  if (!bound.samples_needed) return text + "; the score lies at the bound itself";
  return text + "; it would be within the bound on about " + plural(*bound.samples_needed, "sample") +
         " with the same score";
}

}  // namespace detent
