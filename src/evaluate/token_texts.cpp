#include "evaluate/token_texts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "core/index.h"

namespace detent {

namespace {

constexpr std::string_view kByteBlank = "\xC4\xA0";       // U+0120, GPT-2's letter of the byte 32
constexpr std::string_view kPieceBlank = "\xE2\x96\x81";  // U+2581, SentencePiece's blank

/// Returns the bytes by their letters: those that print are their own, the others follow from U+0100 on, in order.
std::map<std::string, char, std::less<>> bytes_of_letters() {
  std::map<std::string, char, std::less<>> bytes;
  unsigned next = 256;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool prints = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
    const unsigned letter = prints ? byte : next++;
    std::string text;
    if (letter < 128) {
      text += static_cast<char>(letter);
    } else {
      text += static_cast<char>(0xC0 | letter >> 6);
      text += static_cast<char>(0x80 | (letter & 0x3F));
    }
    bytes.emplace(std::move(text), static_cast<char>(byte));
  }
  return bytes;
}

std::string spelled_in_letters(std::string_view token) {
  static const auto bytes = bytes_of_letters();
  std::string text;
  while (!token.empty()) {
    const size_t length = (static_cast<unsigned char>(token.front()) & 0xE0) == 0xC0 ? 2 : 1;
    const auto found = bytes.find(token.substr(0, length));
    if (found == bytes.end())
      text += token.substr(0, length);
    else
      text += found->second;
    token.remove_prefix(std::min(length, token.size()));
  }
  return text;
}

/// Returns the byte of <0xHH>.
std::optional<char> byte_of(const std::string& token) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
  const size_t high = kDigits.find(token[3]), low = kDigits.find(token[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<char>(high << 4 | low);
}

std::string of_pieces(const std::string& token) {
  if (const auto byte = byte_of(token)) return {*byte};
  if (token.size() > 2 && token.front() == '<' && token.back() == '>') return {};
  std::string text;
  for (size_t at = 0; at < token.size();) {
    const bool blank = token.compare(at, kPieceBlank.size(), kPieceBlank) == 0;
    text += blank ? ' ' : token[at];
    at += blank ? kPieceBlank.size() : 1;
  }
  return text;
}

}  // namespace

TokenTexts::TokenTexts(const std::vector<std::string>& tokens) {
  const bool letters =
      std::ranges::any_of(tokens, [](const std::string& token) { return token.find(kByteBlank) != std::string::npos; });
  const bool pieces = std::ranges::any_of(
      tokens, [](const std::string& token) { return token.find(kPieceBlank) != std::string::npos; });
  for (const std::string& token : tokens) {
    if (!letters && (token == "<space>" || (token == "|" && !pieces))) {
      texts_.emplace_back(" ");
      continue;
    }
    const bool special = token.size() > 4 && token.starts_with("<|") && token.ends_with("|>");
    texts_.push_back(special ? std::string() : letters ? spelled_in_letters(token) : of_pieces(token));
  }
}

std::string TokenTexts::text_of(std::span<const int64_t> ids) const {
  std::string text;
  for (const int64_t id : ids)
    if (id >= 0 && id < std::ssize(texts_)) text += texts_[as_index(id)];
  return text;
}

std::string plain_words(const std::string& text) {
  std::string plain;
  for (const char letter : text) {
    if (letter >= 'A' && letter <= 'Z')
      plain += static_cast<char>(letter - 'A' + 'a');
    else if (letter == '\'')
      continue;  // "don't" is one word
    else if (static_cast<unsigned char>(letter) >= 128 || (letter >= 'a' && letter <= 'z') ||
             (letter >= '0' && letter <= '9'))
      plain += letter;
    else
      plain += ' ';
  }
  return plain;
}

}  // namespace detent
