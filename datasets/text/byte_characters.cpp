#include "datasets/text/byte_characters.h"

#include <array>

#include "datasets/text/unicode.h"

namespace detent {

namespace {

std::array<std::string, 256> characters_of_bytes() {
  std::array<std::string, 256> characters;
  char32_t hidden = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool seen = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    characters[byte] = utf8_of(seen ? byte : hidden++);
  }
  return characters;
}

}  // namespace

std::string bytes_as_characters(std::string_view text) {
  static const std::array<std::string, 256> kCharacters = characters_of_bytes();
  std::string written;
  for (const char c : text) written += kCharacters[static_cast<unsigned char>(c)];
  return written;
}

}  // namespace detent
