#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "report/html/axis.h"
#include "report/html/document.h"
#include "report/html/parts.h"

namespace detent::html {
namespace {

using Sample = OutlierReport::Sample;

constexpr int kOutlierHeight = 170;     // of the plot, in CSS pixels
constexpr int kOutlierAxisHeight = 24;  // below it
constexpr int kLabelHeight = 17;        // of one line of text
constexpr size_t kShownBars = 48;       // six pixels each on a phone
constexpr size_t kShownLabels = 3;

/// Draws bars, one unit per sample across, with a gap, and one unit per value up.
std::string outlier_bars(std::span<const Sample> ranked, size_t Sample::*height, size_t most) {
  std::string path;
  for (size_t i = 0; i < ranked.size(); ++i)
    if (const size_t count = ranked[i].*height)
      path += "M" + std::to_string(i) + " " + std::to_string(most) + "v-" + std::to_string(count) + "h.85v" +
              std::to_string(count) + "z";
  return path;
}

/// Describes the samples without a bar: "152 more samples: at most 3 each".
std::string rest_text(std::span<const Sample> rest) {
  if (rest.empty()) return "one bar a sample";
  size_t most = 0;
  for (const Sample& sample : rest) most = std::max(most, sample.largest);
  return plural(rest.size(), "more sample") + ": " +
         (most ? "at most " + std::to_string(most) + " each" : std::string("none"));
}

std::string outlier_grid(const Axis& axis) {
  std::string svg;
  for (const double tick : axis.ticks(4)) {
    if (tick != std::floor(tick)) continue;
    const std::string y = fmt::format("{:.0f}", kOutlierHeight * (1 - axis.at(tick)));
    svg += "<line class=\"grid\" x2=\"100%\" y1=\"" + y + "\" y2=\"" + y + "\"/><text x=\"-8\" y=\"" + y +
           "\" dy=\".32em\" text-anchor=\"end\">" + number_text(tick) + "</text>";
  }
  return svg;
}

/// Draws the names of the first outliers, right of the tops of their bars, unless one would cover another.
std::string labels(const OutlierReport& report, std::span<const Sample> ranked, const Axis& axis) {
  std::string svg;
  double free_from = 0;
  for (size_t i = 0; i < std::min({kShownLabels, report.samples.size(), ranked.size()}); ++i) {
    const double x = static_cast<double>(i + 1) / static_cast<double>(ranked.size());
    const double y = kOutlierHeight * (1 - axis.at(static_cast<double>(ranked[i].values))) + 12;
    if (x > 0.6 || y < free_from) continue;
    // On a screen of 390 pixels the plot has 300 of them, and a character takes 8.
    const bool far = 300 * x + 8 * static_cast<double>(ranked[i].sample.size()) > 310;
    svg += std::string("<text class=\"name") + (far ? " far" : "") + "\" x=\"" + percentage(x) + "\" dx=\"6\" y=\"" +
           fmt::format("{:.0f}", y) + "\">" + escape(ranked[i].sample) + "</text>";
    free_from = y + kLabelHeight;
  }
  return svg;
}

std::string plot(const OutlierReport& report) {
  // Bars of equal height are sorted by name, so that the page does not depend on the order of the samples.
  std::vector<Sample> ranked = report.all;
  std::ranges::sort(ranked, [](const Sample& a, const Sample& b) {
    return std::tie(b.values, b.largest, a.sample) < std::tie(a.values, a.largest, b.sample);
  });
  const auto shown = std::span(ranked).first(std::min(kShownBars, ranked.size()));
  const auto rest = std::span(ranked).subspan(shown.size());
  size_t most = 1;
  for (const Sample& sample : shown) most = std::max(most, sample.largest);
  const Axis axis{0, static_cast<double>(most)};
  const std::string y = std::to_string(kOutlierHeight + 17);
  return "<svg class=\"skyline plot\" role=\"img\" aria-label=\"Values whose range each of " +
         plural(ranked.size(), "sample") + " sets alone, most first\" height=\"" +
         std::to_string(kOutlierHeight + kOutlierAxisHeight) + "\">" + outlier_grid(axis) +
         "<svg width=\"100%\" height=\"" + std::to_string(kOutlierHeight) + "\" viewBox=\"0 0 " +
         std::to_string(shown.size()) + " " + std::to_string(most) +
         "\" preserveAspectRatio=\"none\"><path class=\"bars\" d=\"" + outlier_bars(shown, &Sample::largest, most) +
         "\"/><path class=\"part\" d=\"" + outlier_bars(shown, &Sample::values, most) + "\"/></svg>" +
         labels(report, shown, axis) + "<line class=\"base\" x2=\"100%\" y1=\"" + std::to_string(kOutlierHeight) +
         "\" y2=\"" + std::to_string(kOutlierHeight) + "\"/><text x=\"100%\" y=\"" + y + "\" text-anchor=\"end\">" +
         rest_text(rest) + "</text></svg>";
}

}  // namespace

std::string drawing_markup(const OutlierReport* report) {
  return chart_key(
             "<span><svg class=\"share\" width=\"12\" height=\"12\"><rect class=\"part\" width=\"12\" "
             "height=\"12\"/></svg>values whose range the sample alone sets</span><span><svg class=\"skyline\" "
             "width=\"12\" height=\"12\"><rect class=\"bars\" width=\"12\" height=\"12\"/></svg>values of which "
             "it has the largest |x|</span>") +
         plot(*report);
}

}  // namespace detent::html
