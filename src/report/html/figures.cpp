#include "report/html/figures.h"

#include <fmt/core.h>

#include <cmath>

#include "report/html/numbers.h"
#include "report/quantities.h"

namespace detent::html {

std::string figure(const std::string& number, const std::string& label, const std::string& detail) {
  return "<div><dt>" + label + "</dt><dd class=\"number\">" + number + "</dd>" +
         (detail.empty() ? "" : "<dd class=\"detail\">" + detail + "</dd>") + "</div>";
}

std::string coverage_figure(const CoverageReport& coverage) {
  if (coverage.macs == 0) return {};
  return figure(percent_text(static_cast<double>(coverage.int8_macs) / static_cast<double>(coverage.macs)),
                "MACs in INT8",
                std::to_string(coverage.int8_layers) + " of " + std::to_string(coverage.layers) + " layers");
}

std::string samples_fact(size_t count, const char* what, double seconds) {
  return "<li>" + plural(count, std::string(what) + " sample") +
         (seconds > 0 ? fmt::format(", {:.1f} s", seconds) : std::string()) + "</li>";
}

std::string skipped_fact(size_t count) {
  return count ? "<li>" + plural(count, "unreadable sample") + " skipped</li>" : "";
}

std::string decibels(double value) { return std::isfinite(value) ? fixed_text(value, 1) + "\u00A0dB" : "no error"; }

}  // namespace detent::html
