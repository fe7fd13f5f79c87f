#include "report/html/axis.h"

#include <fmt/core.h>

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
  // Whole steps are counted, since sums of steps would gather rounding errors and miss 0.
  const double last = std::floor(high / step);
  for (double i = std::ceil(low / step); i <= last; ++i) positions.push_back(i * step);
  return positions;
}

Axis padded_axis(double low, double high, double margin) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) return {-1, 1};
  // An extent below the resolution of the numbers cannot be divided into ticks.
  const double least = 1e-9 * std::max(std::abs(low), std::abs(high));
  if (high - low <= least) {
    const double half = low == 0 ? 1 : std::abs(low) / 2;
    return {low - half, high + half};
  }
  const double pad = margin * (high - low);
  return {low - pad, high + pad};
}

Axis axis_around(const std::vector<double>& values, double margin) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  return padded_axis(low, high, margin);
}

Extent extent_of(std::vector<double> values, Bad bad) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {1, 0, false};
  const double sign = bad == Bad::Low ? 1 : -1;
  std::ranges::sort(values, {}, [&](double value) { return -sign * value; });  // the best first
  const double best = values.front(), worst = values.back();
  double spread = std::abs(best - values[values.size() / 2]);
  // More than half are equal: the nearest of the others gives the spread.
  for (size_t i = values.size() / 2; spread == 0 && i < values.size(); ++i) spread = std::abs(best - values[i]);
  const auto is_near = [&](double value) { return std::abs(best - value) <= 8 * spread; };
  const double end = *std::find_if(values.rbegin(), values.rend(), is_near);  // the best is near itself
  return {std::min(best, end), std::max(best, end), end != worst};
}

std::string beyond_mark(Bad end, std::string_view height) {
  // A text can have a position in percent, a path cannot.
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

std::string scale_head(const Axis& axis, const std::vector<double>& ticks, std::string (*text)(double)) {
  return "<svg class=\"scale\" height=\"16\" aria-hidden=\"true\">" + tick_labels(axis, ticks, 13, text) + "</svg>";
}

std::string vertical_line(std::string_view kind, const Axis& axis, double value) {
  return fmt::format("<line class=\"{0}\" x1=\"{1}\" x2=\"{1}\" y1=\"0\" y2=\"100%\"/>", kind,
                     percentage(axis.at(value)));
}

std::string gain_line(const Axis& axis, double from, double to) {
  return fmt::format("<line class=\"gain\" x1=\"{}\" x2=\"{}\" y1=\"50%\" y2=\"50%\"/>", percentage(axis.at(from)),
                     percentage(axis.at(to)));
}

std::string dot_mark(std::string_view kind, const Axis& axis, double value, std::string_view radius) {
  return fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"50%\" r=\"{}\"/>", kind, percentage(axis.at(value)), radius);
}

std::string position_chart(const Axis& axis, double value, double reference) {
  std::string svg =
      "<svg class=\"position\" height=\"12\" aria-hidden=\"true\"><line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"6\" "
      "y2=\"6\"/>";
  if (std::isfinite(reference))
    svg += fmt::format("<line class=\"reference\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"12\"/>",
                       percentage(axis.at(reference)));
  if (axis.at(value) < 0 || axis.at(value) > 1)
    svg += beyond_mark(axis.at(value) < 0 ? Bad::Low : Bad::High, "y=\"6\"");
  else if (!std::isnan(value))
    svg += "<circle cx=\"" + percentage(axis.at(value)) + "\" cy=\"6\" r=\"4\"/>";
  return svg + "</svg>";
}

std::string key_entry(std::string_view shape, std::string_view text) {
  return fmt::format("<span><svg width=\"12\" height=\"12\">{}</svg>{}</span>", shape, text);
}

std::string chart_key(const std::string& entries) {
  return "<p class=\"key\" aria-hidden=\"true\">" + entries + "</p>";
}

}  // namespace detent::html
