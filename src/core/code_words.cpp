#include "core/code_words.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace detent {

namespace {

bool belongs_to_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns true where the whole word stands at `at`.
bool is_word(std::string_view sentence, size_t at, std::string_view word) {
  if (sentence.substr(at, word.size()) != word || (at > 0 && belongs_to_word(sentence[at - 1]))) return false;
  return at + word.size() == sentence.size() || !belongs_to_word(sentence[at + word.size()]);
}

/// Returns the end of the quoted name that begins at `at`; `at` where none does. A quote behind a letter is an
/// apostrophe.
size_t end_of_name(std::string_view sentence, size_t at) {
  if (sentence[at] != '\'' || (at > 0 && belongs_to_word(sentence[at - 1]))) return at;
  const size_t closing = sentence.find('\'', at + 1);
  return closing == std::string_view::npos ? at : closing + 1;
}

}  // namespace

std::string in_words_of(CodeType type, std::string sentence) { return in_words_of(name_of(type), std::move(sentence)); }

std::string in_words_of(std::string_view type, std::string sentence) {
  constexpr std::string_view kWord = "INT8";
  if (type == kWord) return sentence;
  std::string said;
  for (size_t at = 0; at < sentence.size();) {
    const size_t quoted = end_of_name(sentence, at);
    if (quoted == at && is_word(sentence, at, kWord)) {
      said += type;
      at += kWord.size();
    } else {
      const size_t end = std::max(quoted, at + 1);
      said.append(sentence, at, end - at);
      at = end;
    }
  }
  return said;
}

}  // namespace detent
