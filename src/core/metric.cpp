#include "detent/base/metric.h"

#include <fmt/core.h>

namespace detent {

std::string loss_text(const Metric& metric, double amount) {
  if (metric.decimals == Metric::kSignificantDigits) return fmt::format("{:.4g} {}", amount, metric.loss);
  return fmt::format("{:.{}f} {}", metric.factor() * amount, metric.decimals, metric.loss);
}

}  // namespace detent
