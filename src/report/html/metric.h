#pragma once

#include <string>
#include <vector>

#include "detent/compare.h"

namespace detent::html {

/// How a metric of ComparisonReport is written. Metrics that are not known are plain numbers under their own name.
struct MetricStyle {
  std::string label;    ///< "top-1", not escaped
  std::string meaning;  ///< a sentence for those who point at it; "" for metrics that are not known
  double factor = 1;    ///< fractions are shown in percent
  int decimals = 4;
  std::string unit;             ///< " %", " dB", ""
  std::string difference_unit;  ///< " points", " dB", ""

  [[nodiscard]] std::string text(double value) const;    ///< "76.60 %"
  [[nodiscard]] std::string number(double value) const;  ///< "76.60"
  /// "2.05 points": between the two as they are printed, so that readers get the same; without a sign.
  [[nodiscard]] std::string difference(double a, double b) const;
  /// False where the two would be printed alike.
  [[nodiscard]] bool differ(double a, double b) const;
};
[[nodiscard]] MetricStyle metric_style(const std::string& metric);

/// Every metric that some variant or the float model has: the criterion, then scores, agreements and errors.
[[nodiscard]] std::vector<std::string> metrics_of(const ComparisonReport& report);

/// The variant that `report.winner` names; null when there is none.
[[nodiscard]] const ComparisonReport::Variant* winning_variant(const ComparisonReport& report);

}  // namespace detent::html
