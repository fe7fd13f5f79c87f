#pragma once

#include <string>
#include <vector>

#include "report/compared_types.h"

namespace detent::html {

/// Formatting of a metric of PrintedComparison. Unknown metrics are plain numbers under their name.
struct MetricStyle {
  std::string label;    ///< "top-1", not escaped
  std::string meaning;  ///< tooltip; "" for unknown metrics
  double factor = 1;    ///< 100 for fractions
  int decimals = 4;
  std::string unit;             ///< " %", " dB", ""
  std::string difference_unit;  ///< " points", " dB", ""

  [[nodiscard]] std::string text(double value) const;    ///< "76.60 %"
  [[nodiscard]] std::string number(double value) const;  ///< "76.60"
  /// Returns "2.05 points", the difference of the two printed numbers, without a sign.
  [[nodiscard]] std::string difference(double a, double b) const;
};
[[nodiscard]] MetricStyle metric_style(const std::string& metric);

/// Returns every metric of a variant or the float model: the criterion, then scores, agreements and errors.
[[nodiscard]] std::vector<std::string> metrics_of(const PrintedComparison& report);

}  // namespace detent::html
