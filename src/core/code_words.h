#pragma once

#include <string>
#include <string_view>

#include "detent/options/code_type.h"

namespace detent {

/// Returns a sentence about INT8 codes for codes of `type`: replaces the word INT8 by the type's name. Longer words
/// that contain it (INT8x, UINT8) stay, and so do names in single quotes.
[[nodiscard]] std::string in_words_of(CodeType type, std::string sentence);
/// Does the same for codes called `type`, such as "INT4".
[[nodiscard]] std::string in_words_of(std::string_view type, std::string sentence);

}  // namespace detent
