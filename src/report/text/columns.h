#pragma once

#include <cstddef>
#include <string>

namespace detent {

/// `text` with blanks behind it up to `width` bytes; longer texts stay as they are.
[[nodiscard]] std::string padded(std::string text, size_t width);

}  // namespace detent
