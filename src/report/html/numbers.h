#pragma once

#include <cstdint>
#include <string>

namespace detent::html {

/// Prints four significant digits with a true minus sign: "−0.2813". Infinite -> "∞"; not a number -> "–".
[[nodiscard]] std::string number_text(double value);
/// Prints `decimals` digits after the point, otherwise as number_text.
[[nodiscard]] std::string fixed_text(double value, int decimals);
/// Prints the number with its sign: "+1.20", "−0.05", "0.00".
[[nodiscard]] std::string signed_text(double value, int decimals);
/// Prints three significant digits and a unit prefix: "950", "12.3k", "4.1G".
[[nodiscard]] std::string count_text(double count);
/// Prints "1,234,567".
[[nodiscard]] std::string grouped_text(uint64_t count);
/// Prints "±3.21" for symmetric ranges, else "−0.28 … 6.02".
[[nodiscard]] std::string range_text(double min, double max);
/// Prints a number for scripts, with up to nine digits. Infinite -> beyond all others of its sign; not a number -> "".
[[nodiscard]] std::string key_text(double value);

}  // namespace detent::html
