#pragma once

#include <string>

#include "report/document/words.h"

namespace detent::html {

/// Returns the words with names in code type, escaped.
[[nodiscard]] std::string markup(const document::Words& words);

}  // namespace detent::html
