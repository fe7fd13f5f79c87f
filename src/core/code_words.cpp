#include "core/code_words.h"

#include <cctype>
#include <string_view>
#include <utility>

namespace detent {

namespace {

bool belongs_to_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string in_words_of(CodeType type, std::string sentence) { return in_words_of(name_of(type), std::move(sentence)); }

std::string in_words_of(std::string_view type, std::string sentence) {
  constexpr std::string_view kWord = "INT8";
  if (type == kWord) return sentence;
  for (size_t at = sentence.find(kWord); at != std::string::npos; at = sentence.find(kWord, at + 1)) {
    const size_t behind = at + kWord.size();
    if (at > 0 && belongs_to_word(sentence[at - 1])) continue;
    if (behind < sentence.size() && belongs_to_word(sentence[behind])) continue;
    sentence.replace(at, kWord.size(), type);
  }
  return sentence;
}

}  // namespace detent
