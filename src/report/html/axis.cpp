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

Extent extent_of(std::vector<double> values, Bad bad) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {1, 0, false};
  const double sign = bad == Bad::Low ? 1 : -1;
  std::ranges::sort(values, {}, [&](double value) { return -sign * value; });  // the best first
  const double best = values.front(), worst = values.back();
  double spread = std::abs(best - values[values.size() / 2]);
  // More than half are level: the nearest of the others tells how far apart values are.
  for (size_t i = values.size() / 2; spread == 0 && i < values.size(); ++i) spread = std::abs(best - values[i]);
  const auto is_near = [&](double value) { return std::abs(best - value) <= 8 * spread; };
  const double end = *std::find_if(values.rbegin(), values.rend(), is_near);  // the best is near itself
  return {std::min(best, end), std::max(best, end), end != worst};
}

std::string beyond_mark(Bad end, std::string_view height) {
  // A text can stand at a height in percent, a path cannot.
  const char* place = end == Bad::Low ? "x=\"0\">\u25C0" : "x=\"100%\" text-anchor=\"end\">\u25B6";
  return "<text class=\"beyond\" dy=\".36em\" " + std::string(height) + " " + place + "</text>";
}

std::string tick_labels(const Axis& axis, const std::vector<double>& ticks, int y, std::string (*text)(double)) {
  std::string svg;
  for (size_t i = 0; i < ticks.size(); ++i) {
    const double tick = ticks[i], at = axis.at(tick);
    const bool inner = i > 0 && i + 1 < ticks.size();
    const char* anchor = at < 0.02 ? "start" : at > 0.98 ? "end" : "middle";
    svg += "<text x=\"" + percentage(at) + "\" y=\"" + std::to_string(y) + "\" text-anchor=\"" + anchor + "\"" +
           (inner ? i % 2 ? " class=\"inner odd\"" : " class=\"inner\"" : "") + ">" + text(tick) + "</text>";
  }
  return svg;
}

}  // namespace detent::html
