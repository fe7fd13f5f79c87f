#pragma once

#include <string>
#include <string_view>

namespace detent {

/// Text that may hold names from files, as it may be shown on a terminal: control characters (C0, DEL, C1), characters
/// that turn the direction of writing (U+202A..202E, U+2066..2069) and bytes that are no UTF-8 become \xNN for each
/// byte. Line feeds stay where `lines` says that the text has lines of its own; a name's then stay too. Empty for empty
/// text.
/// Source  RFC 3629 for what is UTF-8; ECMA-48 for the C1 set; Unicode UAX 9 for the directional characters.
enum class Lines { Keep, Escape };
[[nodiscard]] std::string shown_text(std::string_view text, Lines lines);

}  // namespace detent
