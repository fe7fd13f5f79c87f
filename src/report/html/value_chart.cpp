#include "report/html/value_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/html/axis.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"

namespace detent::html {
namespace {

constexpr int kChartHeight = 220;      // of the plot, in CSS pixels
constexpr int kChartAxisHeight = 24;   // below it, for the ticks
constexpr double kChartMargin = 0.04;  // left and right of the data
constexpr double kReach = 0.2;         // ranges that end this close to the data are shown whole

double magnitude(const ValueHistogram::ChosenRange& range) {
  return std::max(std::abs(range.min), std::abs(range.max));
}

/// Returns an axis over the data, 0, and the ends of ranges that are close. A symmetric range around non-negative data
/// would otherwise leave half of the chart empty.
Axis value_axis(const ValueHistogram& value) {
  const double low = std::min(value.min, 0.0), high = std::max(value.max, 0.0);
  const double reach = kReach * (high - low);
  double shown_low = low, shown_high = high;
  for (const auto& range : value.ranges) {
    if (range.min >= low - reach) shown_low = std::min(shown_low, range.min);
    if (range.max <= high + reach) shown_high = std::max(shown_high, range.max);
  }
  return padded_axis(shown_low, shown_high, kChartMargin);
}

double log_height(double count, double most) { return kChartHeight * std::log10(1 + count) / std::log10(1 + most); }

/// Draws every power of ten, every second ..., at most five.
std::string count_grid(double most) {
  const int decades = static_cast<int>(std::floor(std::log10(std::max(most, 1.0))));
  const int step = decades / 5 + 1;
  std::string svg;
  for (int power = 0; power <= decades; power += step) {
    const double count = std::pow(10, power);
    const std::string y = fmt::format("{:.0f}", kChartHeight - log_height(count, most));
    svg += "<line class=\"grid\" x2=\"100%\" y1=\"" + y + "\" y2=\"" + y + "\"/><text x=\"-8\" y=\"" + y +
           "\" dy=\".32em\" text-anchor=\"end\">" + count_text(count) + "</text>";
  }
  return svg;
}

/// Draws the bins as an outline with one step for each run of equal bins; one unit across is one bin.
std::string histogram_bars(const ValueHistogram& value, const Axis& axis, double most) {
  std::string path = "M0 " + std::to_string(kChartHeight);
  int height = 0;
  size_t run = 0;
  const auto end_run = [&] {
    if (run) path += "h" + std::to_string(run);
    run = 0;
  };
  for (const uint64_t count : value.bins) {
    const int next = static_cast<int>(std::lround(log_height(static_cast<double>(count), most)));
    if (next != height) {
      end_run();
      path += "V" + std::to_string(kChartHeight - next);
      height = next;
    }
    ++run;
  }
  end_run();
  path += "V" + std::to_string(kChartHeight) + "z";
  const double width = static_cast<double>(value.bins.size()) * value.width;
  // The first and last bin may exceed the data and the axis; positions are not clamped here.
  return "<svg x=\"" + fmt::format("{:.3f}", 100 * axis.at(value.first)) + "%\" width=\"" +
         fmt::format("{:.3f}", 100 * width / (axis.high - axis.low)) + "%\" height=\"" + std::to_string(kChartHeight) +
         "\" viewBox=\"0 0 " + std::to_string(value.bins.size()) + " " + std::to_string(kChartHeight) +
         "\" preserveAspectRatio=\"none\"><path class=\"bars\" d=\"" + path + "\"/></svg>";
}

/// Draws both ends of a range through the plot, and a veil over what lies outside.
std::string limits(const ValueHistogram::ChosenRange& range, const Axis& axis, bool best) {
  const std::string low = percentage(axis.at(range.min)), high = percentage(axis.at(range.max));
  const std::string height = "height=\"" + std::to_string(kChartHeight) + "\"";
  const auto line = [&](double value, const std::string& x) {
    if (value < axis.low || value > axis.high) return std::string();
    return "<line x1=\"" + x + "\" x2=\"" + x + "\" y2=\"" + std::to_string(kChartHeight) + "\"/>";
  };
  return std::string("<g class=\"limit") + (best ? " best on" : "") + "\"><rect width=\"" + low + "\" " + height +
         "/><rect x=\"" + high + "\" width=\"" + percentage(1 - std::clamp(axis.at(range.max), 0.0, 1.0)) + "\" " +
         height + "/>" + line(range.min, low) + line(range.max, high) + "</g>";
}

std::string histogram_svg(const ValueHistogram& value, const Axis& axis, const std::string& best) {
  const double most = static_cast<double>(*std::max_element(value.bins.begin(), value.bins.end()));
  std::string counts;
  for (const uint64_t count : value.bins) counts += (counts.empty() ? "" : " ") + std::to_string(count);
  std::string svg = "<svg class=\"histogram plot\" role=\"img\" aria-label=\"Histogram of " + escape(value.name) +
                    ", counts on a logarithmic scale, from " + number_text(value.min) + " to " +
                    number_text(value.max) + "\" height=\"" + std::to_string(kChartHeight + kChartAxisHeight) +
                    "\" data-low=\"" + key_text(axis.low) + "\" data-high=\"" + key_text(axis.high) +
                    "\" data-first=\"" + key_text(value.first) + "\" data-width=\"" + key_text(value.width) +
                    "\" data-bins=\"" + counts + "\">" + count_grid(most) + histogram_bars(value, axis, most);
  for (const auto& range : value.ranges) svg += limits(range, axis, range.calibrator == best);
  return svg + "<line class=\"base\" x2=\"100%\" y1=\"" + std::to_string(kChartHeight) + "\" y2=\"" +
         std::to_string(kChartHeight) + "\"/>" + tick_labels(axis, axis.ticks(5), kChartHeight + 17) + "</svg>";
}

std::string clip_text(double fraction) {
  if (fraction <= 0) return "clips nothing";
  if (fraction < 1e-6) return "clips below 0.0001\u00A0%";
  return "clips " + fmt::format("{:.2g}", 100 * fraction) + "\u00A0%";
}

/// Prints a range below the plot; an end outside the axis is an arrow.
std::string range_row(const ValueHistogram& value, const ValueHistogram::ChosenRange& range, const Axis& axis,
                      bool best) {
  const double low = std::clamp(axis.at(range.min), 0.0, 1.0), high = std::clamp(axis.at(range.max), 0.0, 1.0);
  const auto end = [](const std::string& x) { return "<line x1=\"" + x + "\" x2=\"" + x + "\" y1=\"1\" y2=\"9\"/>"; };
  const std::string x1 = percentage(low), x2 = percentage(high);
  return std::string("<li class=\"range") + (best ? " best on" : "") + "\"><b>" + escape(range.calibrator) + "</b><i>" +
         clip_text(clipped_fraction(value, range.min, range.max)) + "</i><span>" + range_text(range.min, range.max) +
         "</span><svg class=\"plot\" height=\"10\" aria-hidden=\"true\"><line class=\"reach\" x1=\"" + x1 + "\" x2=\"" +
         x2 + "\" y1=\"5\" y2=\"5\"/>" + (range.min < axis.low ? "<path d=\"M-3 5l7-4v8z\"/>" : end(x1)) +
         (range.max > axis.high ? "<svg x=\"100%\"><path d=\"M3 5l-7-4v8z\"/></svg>" : end(x2)) + "</svg></li>";
}

}  // namespace

double clipped_fraction(const ValueHistogram& value, double min, double max) {
  if (value.count == 0 || (min <= value.min && max >= value.max)) return 0;
  double outside = 0;
  for (size_t i = 0; i < value.bins.size(); ++i) {
    const double low = value.first + static_cast<double>(i) * value.width, high = low + value.width;
    const double inside = std::max(0.0, std::min(high, max) - std::max(low, min));
    outside += static_cast<double>(value.bins[i]) * (1 - inside / value.width);
  }
  return outside / static_cast<double>(value.count);
}

double range_spread(const ValueHistogram& value) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& range : value.ranges) {
    least = std::min(least, magnitude(range));
    most = std::max(most, magnitude(range));
  }
  return value.ranges.size() < 2 || least <= 0 ? std::numeric_limits<double>::quiet_NaN() : most / least;
}

std::string value_chart(const ValueHistogram& value, const std::string& best) {
  const Axis axis = value_axis(value);
  std::string html =
      value.bins.empty() ? "<p class=\"note\">Nothing but zeros was seen.</p>" : histogram_svg(value, axis, best);
  if (value.ranges.empty()) return html;
  html += "<ul class=\"ranges\" aria-label=\"Ranges that the calibrators chose\">";
  for (const auto& range : value.ranges) html += range_row(value, range, axis, range.calibrator == best);
  return html + "</ul>";
}

}  // namespace detent::html
