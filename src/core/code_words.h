#pragma once

#include <string>
#include <string_view>

#include "detent/options/code_type.h"

namespace detent {

/// A sentence that speaks of INT8, for codes of `type`: the word INT8 becomes the type's name. Longer words that hold
/// it (INT8x, UINT8) stay, and so does everything for CodeType::Int8.
[[nodiscard]] std::string in_words_of(CodeType type, std::string sentence);
/// The same for codes called `type`: "INT4".
[[nodiscard]] std::string in_words_of(std::string_view type, std::string sentence);

}  // namespace detent
