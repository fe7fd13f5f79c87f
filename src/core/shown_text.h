#pragma once

#include <string>
#include <string_view>

namespace detent {

/// Makes text with names from files safe for a terminal: control characters (C0, DEL, C1), characters that change the
/// direction of writing (U+202A..202E, U+2066..2069) and bytes that are not UTF-8 become \xNN for each byte.
/// Lines::Keep keeps line feeds, also those in names; Lines::Lists only those in front of two blanks, which begin the
/// next entry of a list in a message.
/// Source  RFC 3629 for UTF-8; ECMA-48 for the C1 set; Unicode UAX 9 for the directional characters.
enum class Lines { Keep, Lists, Escape };
[[nodiscard]] std::string shown_text(std::string_view text, Lines lines);

/// Makes the same characters of a JSON document in UTF-8 escapes of JSON, with the same meaning.
[[nodiscard]] std::string shown_json(std::string document);

}  // namespace detent
