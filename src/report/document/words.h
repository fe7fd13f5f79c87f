#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detent/base/metric.h"
#include "detent/reports/error_report.h"

namespace detent::document {

/// How a number is printed.
enum class Unit : uint8_t {
  Plain,        ///< `digits` after the point
  Count,        ///< pages shorten it: "4.1G"
  Significant,  ///< `digits` significant digits
  Share,        ///< a fraction in percent; "100 %" only for exactly 1
  Percent,      ///< a fraction in percent, of a metric
  Decibels,     ///< "exact" where it is infinite
  Bytes,        ///< "1.9 MB"
  Seconds,
  Milliseconds,
  Megabytes,  ///< 10^6 bytes, of memory
  Times       ///< a ratio
};

/// A number with its unit and its standard error. Renderers choose its spelling.
struct Number {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< of a share or percentage the fraction
  Unit unit = Unit::Plain;
  int digits = 0;
  bool sign = false;                  ///< "+1.20", too
  std::optional<double> error = {};   ///< in the unit of the value
  std::string noun = {}, nouns = {};  ///< follows a count: "sample", "copies"; `nouns` may be empty
  bool bare = false;                  ///< the unit stands elsewhere, as in the head of a column
};

/// A piece of a sentence.
struct Span {
  enum class Look : uint8_t {
    Plain,
    Name,    ///< of a node, value, file or sample: it may hold every character
    Quoted,  ///< a Name that texts put in quotes
    Code,    ///< a word to type
    Strong,
    Minor,     ///< of less importance
    Wide,      ///< stands in texts behind a gap
    Good,      ///< Strong, coloured
    Doubtful,  ///< Strong, coloured
    Broken,    ///< Strong, coloured
    Arrow,     ///< from one state to another
    Figure     ///< a Number
  };
  Look look = Look::Plain;
  std::string text = {};
  Number number = {};
};

/// A sentence, clause or word.
class Words {
 public:
  Words() = default;
  Words(const char* text) : Words(std::string(text)) {}                       // NOLINT(google-explicit-constructor)
  Words(std::string_view text) : Words(std::string(text)) {}                  // NOLINT(google-explicit-constructor)
  Words(std::string text) { add({Span::Look::Plain, std::move(text)}); }      // NOLINT(google-explicit-constructor)
  Words(Span span) { add(std::move(span)); }                                  // NOLINT(google-explicit-constructor)
  Words(Number number) { add({Span::Look::Figure, {}, std::move(number)}); }  // NOLINT(google-explicit-constructor)
  Words(std::initializer_list<Words> parts) {
    for (const Words& part : parts) *this += part;
  }

  Words& operator+=(const Words& other) {
    spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
    return *this;
  }
  friend Words operator+(Words words, const Words& other) { return words += other; }

  [[nodiscard]] bool empty() const { return spans_.empty(); }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  void add(Span span) {
    if (!span.text.empty() || span.look == Span::Look::Figure || span.look == Span::Look::Arrow)
      spans_.push_back(std::move(span));
  }

  std::vector<Span> spans_;
};

[[nodiscard]] inline Words name(std::string_view text) { return Span{Span::Look::Name, std::string(text)}; }
[[nodiscard]] inline Words quoted(std::string_view text) { return Span{Span::Look::Quoted, std::string(text)}; }
[[nodiscard]] inline Words code(std::string_view text) { return Span{Span::Look::Code, std::string(text)}; }
[[nodiscard]] inline Words strong(std::string_view text) { return Span{Span::Look::Strong, std::string(text)}; }
[[nodiscard]] inline Words minor(std::string_view text) { return Span{Span::Look::Minor, std::string(text)}; }
/// Returns a clause that texts put behind a gap.
[[nodiscard]] inline Words behind(std::string_view text) { return Span{Span::Look::Wide, std::string(text)}; }
[[nodiscard]] inline Words arrow() { return Span{Span::Look::Arrow, {}}; }
/// Returns a name without its folders.
[[nodiscard]] Words file_name(const std::string& path);

/// Returns "64"; "64 samples" with a noun.
[[nodiscard]] Words count(std::integral auto number, std::string_view noun = {}, std::string_view nouns = {}) {
  return Number{.value = static_cast<double>(number), .noun = std::string(noun), .nouns = std::string(nouns)};
}
/// Returns "25.0 %" of a fraction.
[[nodiscard]] Words share(double fraction, int digits = 1);
/// Returns "76.60 %" of a fraction that is a score.
[[nodiscard]] Words percent(double fraction, int digits = 2);
[[nodiscard]] Words share_of(int64_t part, int64_t whole);
[[nodiscard]] Words decibels(double value, int digits = 1);
/// Returns "+1.20 dB"; empty where one of both is exact.
[[nodiscard]] Words gain(double before_db, double after_db);
/// Returns a count that pages shorten: multiply-accumulates, parameters.
[[nodiscard]] Words large_count(int64_t number);
[[nodiscard]] Words bytes(uint64_t number);
[[nodiscard]] Words seconds(double number, int digits = 1);
[[nodiscard]] Words milliseconds(double number, int digits = 3);
/// Returns "1.27x".
[[nodiscard]] Words multiple(double number, int digits = 2);
[[nodiscard]] Words megabytes(double number);
[[nodiscard]] Words fixed(double number, int digits);
[[nodiscard]] Words significant(double number, int digits);
/// Returns a value of a metric, with its standard error.
[[nodiscard]] Number number_of(const Metric& metric, double value, std::optional<double> error = {});
/// Returns "20.00 -> 21.50 dB"; "exact" for an infinite one.
[[nodiscard]] Words change(double before_db, double after_db);
/// Returns the words behind a label; empty without words.
[[nodiscard]] inline Words labelled(const Words& label, const Words& words) {
  return words.empty() ? Words() : label + words;
}
/// Returns the words with separators between; empty ones are left out.
[[nodiscard]] Words joined(const std::vector<Words>& parts, const Words& separator = ", ");

/// Returns a number with ASCII characters: "-2.9 dB", "76.60 % ±1.10". Equal strings for equal numbers.
[[nodiscard]] std::string number_text(const Number& number);
/// Returns the words of a text: numbers and marks are ASCII, control characters of names and reasons are escaped, so
/// that they stay on their line.
[[nodiscard]] std::string plain_text(const Words& words);

}  // namespace detent::document
