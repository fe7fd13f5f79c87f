#include "report/quantities.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace detent {

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

double rounded_percent(double fraction, int decimals) {
  const double steps = std::pow(10, decimals);
  const double rounded = std::round(100 * fraction * steps) / steps;
  return fraction < 1 ? std::min(rounded, 100 - 1 / steps) : rounded;
}

std::string percent_text(double fraction, int decimals) {
  if (fraction == 1.0) return "100 %";
  return fmt::format("{:.{}f} %", rounded_percent(fraction, decimals), decimals);
}

std::string metric_text(const Metric& metric, double value) {
  const int decimals = metric.decimals;
  if (decimals == Metric::kSignificantDigits) return fmt::format("{:.6g}", value);
  if (metric.unit == MetricUnit::Fraction) return fmt::format("{:.{}f} %", rounded_percent(value, decimals), decimals);
  if (metric.unit != MetricUnit::Decibels) return fmt::format("{:.{}f}", value, decimals);
  return std::isinf(value) && value > 0 ? "exact" : fmt::format("{:.{}f} dB", value, decimals);
}

std::string choice_text(const CalibratorMeasurement& measured) {
  if (measured.candidates.size() < 2) return "the only candidate that was measured";
  if (measured.highest == measured.winner || measured.highest >= measured.candidates.size()) return "the highest score";
  return measured.candidates[measured.highest].calibrator + " scores the same within the noise of the samples; " +
         measured.candidates[measured.winner].calibrator + " clips the values least badly";
}

}  // namespace detent
