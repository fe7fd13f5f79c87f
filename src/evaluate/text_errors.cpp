#include "evaluate/text_errors.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/nearest_names.h"
#include "datasets/base/csv.h"

namespace detent {

namespace {

/// Returns the characters of UTF-8; a byte that begins none is one.
std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    const size_t behind = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    char32_t character = lead;
    for (size_t i = 0; i < behind && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; ++i)
      character = character << 8 | static_cast<unsigned char>(text[at++]);
    characters += character;
  }
  return characters;
}

/// Returns the words of a text by numbers, new ones added to `known`.
std::u32string words_of(std::string_view text, std::map<std::string, char32_t>& known) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::u32string words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return words;
    const size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words += known.try_emplace(std::string(text.substr(0, end)), static_cast<char32_t>(known.size())).first->second;
    text.remove_prefix(end);
  }
}

}  // namespace

TextErrors& TextErrors::operator+=(const TextErrors& other) {
  words += other.words, wrong_words += other.wrong_words;
  characters += other.characters, wrong_characters += other.wrong_characters;
  return *this;
}

TextErrors& TextErrors::operator-=(const TextErrors& other) {
  words -= other.words, wrong_words -= other.wrong_words;
  characters -= other.characters, wrong_characters -= other.wrong_characters;
  return *this;
}

TextErrors text_errors(const std::string& reference, const std::string& text) {
  std::map<std::string, char32_t> known;
  const std::u32string right_words = words_of(reference, known), words = words_of(text, known);
  const std::u32string right = characters_of(trimmed(reference)), characters = characters_of(trimmed(text));
  return {right_words.size(), edit_distance(right_words, words), right.size(), edit_distance(right, characters)};
}

}  // namespace detent
