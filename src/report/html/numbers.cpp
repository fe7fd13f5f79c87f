#include "report/html/numbers.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace detent::html {
namespace {

constexpr const char* kMinus = "\u2212";

std::string with_minus(std::string text) {
  for (size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at)) text.replace(at, 1, kMinus);
  return text;
}

std::string not_finite_text(double value) {
  if (std::isnan(value)) return "\u2013";
  return value > 0 ? "\u221E" : std::string(kMinus) + "\u221E";
}

}  // namespace

std::string number_text(double value) {
  return std::isfinite(value) ? with_minus(fmt::format("{:.4g}", value == 0 ? 0.0 : value)) : not_finite_text(value);
}

std::string fixed_text(double value, int decimals) {
  if (!std::isfinite(value)) return not_finite_text(value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);  // "-0.00"
  return with_minus(text);
}

std::string signed_text(double value, int decimals) {
  const std::string text = fixed_text(value, decimals);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return value > 0 && !zero ? "+" + text : text;
}

std::string count_text(double count) {
  constexpr std::array<const char*, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  size_t power = 0;
  // 999.5 would print as 1000.
  while (std::abs(count) >= 999.5 && power + 1 < kPrefixes.size()) {
    count /= 1000;
    ++power;
  }
  return fmt::format("{:.3g}", count) + kPrefixes[power];
}

std::string grouped_text(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string range_text(double min, double max) {
  if (min == -max && max > 0) return "\u00B1" + number_text(max);
  return number_text(min) + " \u2026 " + number_text(max);
}

std::string key_text(double value) {
  if (std::isnan(value)) return "";
  if (std::isinf(value)) return value > 0 ? "1e999" : "-1e999";
  return fmt::format("{:.9g}", value);
}

}  // namespace detent::html
