#pragma once

#include <cstdint>
#include <string>

namespace detent {

/// Counts of the word and the character error rate.
struct TextErrors {
  uint64_t words = 0, wrong_words = 0;  ///< of the reference; inserted, removed and replaced
  uint64_t characters = 0, wrong_characters = 0;

  TextErrors& operator+=(const TextErrors& other);
  TextErrors& operator-=(const TextErrors& other);
};

/// Compares a text with its reference as jiwer does by default: words lie between blanks; characters are those of
/// Unicode, blanks among them, without blanks at the ends. Capitals and punctuation count.
[[nodiscard]] TextErrors text_errors(const std::string& reference, const std::string& text);

}  // namespace detent
