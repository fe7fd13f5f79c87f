#include "report/html/metric.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/html/numbers.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

struct KnownMetric {
  const char* name;
  const char* label;
  const char* meaning;
  enum Kind { Fraction, Decibel, Nats, Plain } kind;
};

// In the order of columns.
constexpr std::array<KnownMetric, 12> kKnown = {{
    {"top1", "top-1", "Share of samples whose label is the largest output", KnownMetric::Fraction},
    {"top5", "top-5", "Share of samples whose label is among the five largest outputs", KnownMetric::Fraction},
    {"miou", "mIoU", "Intersection over union with the masks, mean over classes", KnownMetric::Fraction},
    {"nats", "cross entropy", "Mean of -ln p(next token), in nats a token; smaller is better", KnownMetric::Nats},
    {"perplexity", "perplexity", "Exponential of the cross entropy; smaller is better", KnownMetric::Plain},
    {"next_token", "next token", "Share of tokens that have the largest logit", KnownMetric::Fraction},
    {"metric", "your metric", "Printed by --metric-command", KnownMetric::Plain},
    {"argmax_agreement", "same argmax", "Share of positions where the largest channel is that of FP32",
     KnownMetric::Fraction},
    {"sign_agreement", "same sign", "Share of elements with the sign that FP32 gives", KnownMetric::Fraction},
    {"integer_agreement", "same integers", "Share of integer elements that are as in FP32", KnownMetric::Fraction},
    {"sqnr_db", "SQNR", "Power of the FP32 output over the power of the error, at the worst output; larger is better",
     KnownMetric::Decibel},
    {"cosine", "cosine", "Cosine between the output and that of FP32, at the worst output", KnownMetric::Plain},
}};

size_t metric_rank(const std::string& metric) {
  const auto found =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const auto& known) { return known.name == metric; });
  return static_cast<size_t>(found - kKnown.begin());
}

}  // namespace

MetricStyle metric_style(const std::string& metric) {
  const size_t index = metric_rank(metric);
  if (index == kKnown.size()) return {metric, "", 1, 4, "", ""};
  const KnownMetric& known = kKnown[index];
  switch (known.kind) {
    case KnownMetric::Fraction: return {known.label, known.meaning, 100, 2, "\u00A0%", " points"};
    case KnownMetric::Decibel: return {known.label, known.meaning, 1, 2, "\u00A0dB", "\u00A0dB"};
    case KnownMetric::Nats: return {known.label, known.meaning, 1, 4, "\u00A0nats", "\u00A0nats"};
    default: return {known.label, known.meaning, 1, metric == "cosine" ? 5 : 4, "", ""};
  }
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

bool MetricStyle::differ(double a, double b) const { return number(a) != number(b); }

std::vector<std::string> metrics_of(const ComparisonReport& report) {
  std::vector<std::string> metrics;
  const auto add = [&](const std::map<std::string, double>& named) {
    for (const auto& [name, value] : named)
      if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
  };
  add(report.fp32);
  for (const auto& variant : report.variants) add(variant.metrics);
  const auto key = [&](const std::string& name) {
    return std::tuple(name != report.criterion, metric_rank(name), name);
  };
  std::sort(metrics.begin(), metrics.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return metrics;
}

const ComparisonReport::Variant* winning_variant(const ComparisonReport& report) {
  const auto found = std::find_if(report.variants.begin(), report.variants.end(),
                                  [&](const auto& variant) { return variant.calibrator == report.winner; });
  return found == report.variants.end() ? nullptr : &*found;
}

}  // namespace detent::html
