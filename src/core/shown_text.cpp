#include "core/shown_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace detent {

namespace {

uint32_t byte_at(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

/// Returns the bytes of the UTF-8 character that begins at `i`, and its number; 0 bytes when none does.
size_t character_at(std::string_view text, size_t i, uint32_t& number) {
  const uint32_t first = byte_at(text, i);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xC2 && first < 0xE0 ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  if (length == 0 || i + length > text.size()) return 0;
  number = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xC0U) != 0x80) return 0;
    number = number << 6U | (byte_at(text, i + k) & 0x3FU);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // by length: overlong forms are not UTF-8
  const bool surrogate = number >= 0xD800 && number < 0xE000;
  return number < kLeast[length] || number > 0x10FFFF || surrogate ? 0 : length;
}

bool is_harmless(uint32_t number) {
  const bool control = number < 0x20 || (number >= 0x7F && number < 0xA0);
  const bool turns = (number >= 0x202A && number <= 0x202E) || (number >= 0x2066 && number <= 0x2069);
  return !control && !turns;
}

bool keeps_line(std::string_view text, size_t i, Lines lines) {
  return lines == Lines::Keep || (lines == Lines::Lists && text.substr(i + 1).starts_with("  "));
}

}  // namespace

std::string shown_text(std::string_view text, Lines lines) {
  std::string shown;
  for (size_t i = 0; i < text.size();) {
    uint32_t number = 0;
    const size_t length = character_at(text, i, number);
    if (length > 0 && (is_harmless(number) || (number == '\n' && keeps_line(text, i, lines)))) {
      shown += text.substr(i, length);
    } else {
      for (size_t k = 0; k < std::max<size_t>(length, 1); ++k) {
        char escape[5];
        std::snprintf(escape, sizeof escape, "\\x%02x", byte_at(text, i + k));
        shown += escape;
      }
    }
    i += std::max<size_t>(length, 1);
  }
  return shown;
}

std::string shown_json(std::string document) {
  constexpr std::string_view kLeads("\x7f\xc2\xe2", 3);  // first bytes of harmful characters beyond U+001F
  size_t at = document.find_first_of(kLeads);
  if (at == std::string::npos) return document;
  std::string shown;
  size_t copied = 0;
  for (; at != std::string::npos; at = document.find_first_of(kLeads, at)) {
    uint32_t number = 0;
    const size_t length = std::max<size_t>(character_at(document, at, number), 1);
    if (!is_harmless(number)) {
      char escape[7];
      std::snprintf(escape, sizeof escape, "\\u%04x", number);
      shown.append(document, copied, at - copied) += escape;
      copied = at + length;
    }
    at += length;
  }
  return shown.append(document, copied);
}

}  // namespace detent
