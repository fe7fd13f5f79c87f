#include "report/html/axis.h"

#include <algorithm>
#include <cmath>

#include "report/html/markup.h"

namespace detent::html {

std::vector<double> Axis::ticks(int count) const {
  const double raw = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double lead = raw / power;
  const double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
  std::vector<double> positions;
  // Counted in whole steps: adding a step up would gather rounding errors and miss 0.
  const double last = std::floor(high / step);
  for (double i = std::ceil(low / step); i <= last; ++i) positions.push_back(i * step);
  return positions;
}

Axis padded_axis(double low, double high, double margin) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) return {-1, 1};
  // An extent below the resolution of the numbers themselves cannot be divided into ticks.
  const double least = 1e-9 * std::max(std::abs(low), std::abs(high));
  if (high - low <= least) {
    const double half = low == 0 ? 1 : std::abs(low) / 2;
    return {low - half, high + half};
  }
  const double pad = margin * (high - low);
  return {low - pad, high + pad};
}

std::string tick_labels(const Axis& axis, const std::vector<double>& ticks, int y, std::string (*text)(double)) {
  std::string svg;
  for (const double tick : ticks) {
    const double at = axis.at(tick);
    const char* anchor = at < 0.02 ? "start" : at > 0.98 ? "end" : "middle";
    svg += "<text x=\"" + percentage(at) + "\" y=\"" + std::to_string(y) + "\" text-anchor=\"" + anchor + "\">" +
           text(tick) + "</text>";
  }
  return svg;
}

}  // namespace detent::html
