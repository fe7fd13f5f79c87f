#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace detent {

/// The texts of tokens that a decoder writes.
class TokenTexts {
 public:
  /// tokens  by id, spelled in the letters that GPT-2 gives to bytes if one contains "Ġ". Otherwise "▁" is a blank and
  ///         <0xHH> a byte, as SentencePiece has them; <space>, and "|" where no token holds "▁", are blanks, too.
  ///         Other tokens in <> stand for no text.
  explicit TokenTexts(const std::vector<std::string>& tokens);

  /// Returns the text of these ids; ids without a token have none.
  [[nodiscard]] std::string text_of(std::span<const int64_t> ids) const;

 private:
  std::vector<std::string> texts_;  // by id, in bytes
};

/// Returns the words of a text alone: small letters, and no punctuation of ASCII; letters of other scripts stay.
[[nodiscard]] std::string plain_words(const std::string& text);

}  // namespace detent
