#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace detent::test {

/// Returns numbers as the text of a constant: "{1, 2}".
template <class T>
std::string number_list(std::span<const T> values) {
  std::string text = "{";
  for (const T value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "}";
}

/// Draws numbers from `low` to `high`.
inline std::vector<int64_t> drawn_numbers(int64_t count, int low, int high, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> pick(low, high);
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (int64_t& value : values) value = pick(generator);
  return values;
}

}  // namespace detent::test
