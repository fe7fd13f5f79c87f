#pragma once

#include <charconv>
#include <optional>
#include <string_view>

#include "core/index.h"

namespace detent {

/// Returns the number that the whole text represents, without blanks or a leading plus; nullopt for any other text and
/// for a number beyond the type. Floating point accepts "inf" and "nan".
template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Returns the number that the text begins with and removes its characters; nullopt, and an unchanged `text`, when it
/// begins with none.
template <class Number>
[[nodiscard]] std::optional<Number> take_number(std::string_view& text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(as_index(end - text.data()));
  return number;
}

}  // namespace detent
