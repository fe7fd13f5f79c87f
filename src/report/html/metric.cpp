#include "report/html/metric.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "report/html/numbers.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

/// Orders metrics after the criterion: those of tasks, agreements, errors, unknown ones.
std::tuple<int, std::ptrdiff_t> metric_rank(const std::string& name) {
  const auto* metric = std::ranges::find(kMetrics, std::string_view(name), &Metric::name);
  if (metric == kMetrics.end()) return {3, 0};
  return {metric->is_agreement() ? 1 : metric->is_error() ? 2 : 0, metric - kMetrics.begin()};
}

}  // namespace

MetricStyle metric_style(const std::string& name) {
  constexpr int kLeastOfNumbers = 4;
  const Metric& metric = metric_named(name);
  if (metric.name != name) return {name, "", 1, kLeastOfNumbers, "", ""};
  MetricStyle style{metric.label, metric.meaning, metric.factor(), metric.decimals, "", ""};
  switch (metric.unit) {
    case MetricUnit::Fraction: style.unit = "\u00A0%", style.difference_unit = " points"; break;
    case MetricUnit::Decibels: style.unit = style.difference_unit = "\u00A0dB"; break;
    case MetricUnit::Nats: style.unit = style.difference_unit = "\u00A0nats"; break;
    case MetricUnit::Number: style.decimals = std::max(kLeastOfNumbers, metric.decimals); break;
  }
  return style;
}

std::string MetricStyle::number(double value) const {
  if (factor == 100) return fixed_text(rounded_percent(value, decimals), decimals);
  return fixed_text(factor * value, decimals);
}

std::string MetricStyle::text(double value) const { return number(value) + (std::isnan(value) ? std::string() : unit); }

std::string MetricStyle::difference(double a, double b) const {
  const double steps = std::pow(10, decimals);
  const auto printed = [&](double value) { return std::round(steps * factor * value) / steps; };
  return fixed_text(std::abs(printed(a) - printed(b)), decimals) + difference_unit;
}

std::vector<std::string> metrics_of(const PrintedComparison& report) {
  std::vector<std::string> metrics;
  const auto add = [&](const std::map<std::string, double>& named) {
    for (const auto& [name, value] : named)
      if (std::ranges::find(metrics, name) == metrics.end()) metrics.push_back(name);
  };
  add(report.fp32);
  for (const auto& variant : report.variants) add(variant.metrics);
  const auto key = [&](const std::string& name) {
    return std::tuple(name != report.criterion, metric_rank(name), name);
  };
  std::ranges::sort(metrics, {}, key);
  return metrics;
}

}  // namespace detent::html
