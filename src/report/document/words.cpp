#include "report/document/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/shown_text.h"
#include "core/text.h"
#include "report/quantities.h"

namespace detent::document {

namespace {

std::string magnitude_text(const Number& number) {
  const double value = number.value;
  switch (number.unit) {
    case Unit::Share:
    case Unit::Percent: return percent_text(value, number.digits);
    case Unit::Bytes: return bytes_text(value);
    case Unit::Significant: return fmt::format("{:.{}g}", value, number.digits);
    case Unit::Decibels: return fmt::format("{:.{}f} dB", value, number.digits);
    case Unit::Seconds: return fmt::format("{:.{}f} s", value, number.digits);
    case Unit::Milliseconds: return fmt::format("{:.{}f} ms", value, number.digits);
    case Unit::Megabytes: return fmt::format("{:.{}f} MB", value, number.digits);
    case Unit::Times: return fmt::format("{:.{}f}x", value, number.digits);
    case Unit::Count:
    case Unit::Plain: break;
  }
  return fmt::format("{:.{}f}", value, number.digits);
}

/// Removes " %", " dB" or another unit behind the digits.
std::string without_unit(std::string text) {
  text.resize(std::min(text.find(' '), text.size()));
  return text.ends_with("x") ? text.substr(0, text.size() - 1) : text;
}

std::string error_text(const Number& number) {
  const double factor = number.unit == Unit::Percent || number.unit == Unit::Share ? 100 : 1;
  if (number.unit == Unit::Significant) return fmt::format(" \u00B1{:.{}g}", *number.error, number.digits);
  return fmt::format(" \u00B1{:.{}f}", factor * *number.error, number.digits);
}

}  // namespace

Words file_name(const std::string& path) { return name(std::filesystem::path(path).filename().string()); }

Words share(double fraction, int digits) { return Number{.value = fraction, .unit = Unit::Share, .digits = digits}; }

Words percent(double fraction, int digits) {
  return Number{.value = fraction, .unit = Unit::Percent, .digits = digits};
}

Words share_of(int64_t part, int64_t whole) { return share(static_cast<double>(part) / static_cast<double>(whole)); }

Words decibels(double value, int digits) { return Number{.value = value, .unit = Unit::Decibels, .digits = digits}; }

Words gain(double before_db, double after_db) {
  const double value = after_db - before_db;
  return std::isfinite(value) ? Number{.value = value, .unit = Unit::Decibels, .digits = 2, .sign = true} : Words();
}

Words large_count(int64_t number) { return Number{.value = static_cast<double>(number), .unit = Unit::Count}; }

Words bytes(uint64_t number) { return Number{.value = static_cast<double>(number), .unit = Unit::Bytes}; }

Words seconds(double number, int digits) { return Number{.value = number, .unit = Unit::Seconds, .digits = digits}; }

Words milliseconds(double number, int digits) {
  return Number{.value = number, .unit = Unit::Milliseconds, .digits = digits};
}

Words multiple(double number, int digits) { return Number{.value = number, .unit = Unit::Times, .digits = digits}; }

Words megabytes(double number) { return Number{.value = number, .unit = Unit::Megabytes}; }

Words fixed(double number, int digits) { return Number{.value = number, .digits = digits}; }

Words significant(double number, int digits) {
  return Number{.value = number, .unit = Unit::Significant, .digits = digits};
}

Number number_of(const Metric& metric, double value, std::optional<double> error) {
  constexpr int kDigits = 6;
  Number number{.value = value, .digits = metric.decimals, .error = error};
  if (metric.decimals == Metric::kSignificantDigits)
    number.unit = Unit::Significant, number.digits = kDigits;
  else if (metric.unit == MetricUnit::Fraction)
    number.unit = Unit::Percent;
  else if (metric.unit == MetricUnit::Decibels)
    number.unit = Unit::Decibels;
  return number;
}

Words change(double before_db, double after_db) {
  const auto exact = [](double db) { return std::isinf(db) && db > 0; };
  Number before{.value = before_db, .unit = Unit::Decibels, .digits = 2, .bare = !exact(before_db)};
  return {"mean SQNR ", before, arrow(), decibels(after_db, 2)};
}

Words joined(const std::vector<Words>& parts, const Words& separator) {
  Words all;
  for (const Words& part : parts) {
    if (part.empty()) continue;
    if (!all.empty()) all += separator;
    all += part;
  }
  return all;
}

std::string number_text(const Number& number) {
  if (std::isnan(number.value)) return number.unit == Unit::Decibels && !number.bare ? "not a number" : "-";
  if (std::isinf(number.value) && number.unit == Unit::Decibels && number.value > 0) return "exact";
  std::string text = magnitude_text(number);
  if (number.bare) text = without_unit(std::move(text));
  if (number.sign && number.value > 0 && text.find_first_of("123456789") != std::string::npos) text = "+" + text;
  if (number.error) text += error_text(number);
  if (number.noun.empty()) return text;
  return text + " " + (number.value == 1 ? number.noun : number.nouns.empty() ? number.noun + "s" : number.nouns);
}

std::string plain_text(const Words& words) {
  std::string text;
  for (const Span& span : words.spans()) switch (span.look) {
      case Span::Look::Figure: text += number_text(span.number); break;
      case Span::Look::Arrow: text += " -> "; break;
      case Span::Look::Quoted: text += "'" + span.text + "'"; break;
      case Span::Look::Wide: text += "  " + span.text; break;
      default: text += span.text;
    }
  return shown_text(text, Lines::Escape);
}

}  // namespace detent::document
