#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace detent {

/// A change of a text, which many threads call at once.
using TextChange = std::function<std::string(std::string)>;

/// Writes each byte as one character that is seen: itself, or for 68 bytes, blanks among them, one from U+0100 on. The
/// vocabularies of byte pair encodings are written so.
[[nodiscard]] std::string bytes_as_characters(std::string_view text);

}  // namespace detent
