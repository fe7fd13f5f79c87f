#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "detent/base/error.h"

namespace detent {

// Parts of --preprocess, whether of images or of audio.

/// A named preprocessing.
struct PreprocessPreset {
  std::string_view name;
  std::string_view summary;  ///< for the message about a missing preprocessing
  std::string_view pairs;    ///< its meaning as key=value pairs
};

[[noreturn]] inline void refuse_pair(std::string_view pair, const std::string& expected) {
  throw Error(ErrorCode::Usage, "--preprocess: '" + std::string(pair) + "' is not understood", expected);
}

/// Returns the parts between the separators, empty ones too.
[[nodiscard]] inline std::vector<std::string_view> split_at_any(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Returns the key and the value of "key=value"; without '=' the whole text and "".
[[nodiscard]] inline std::pair<std::string_view, std::string_view> key_and_value(std::string_view pair) {
  const size_t equals = std::min(pair.find('='), pair.size());
  return {pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size()))};
}

/// Returns what a word stands for.
/// Errors  Usage listing the words.
template <class T, size_t N>
T chosen_word(std::string_view pair, std::string_view value, const std::pair<std::string_view, T> (&choices)[N]) {
  for (const auto& [name, result] : choices)
    if (name == value) return result;
  refuse_pair(pair, "possible values: " + join(choices, ", ", [](const auto& choice) { return choice.first; }));
}

}  // namespace detent
