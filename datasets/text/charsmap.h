#pragma once

#include <string>

#include "datasets/text/byte_characters.h"

namespace detent {

/// Reads the table of characters that a tokenizer trained with SentencePiece carries: a trie over bytes, and the texts
/// that stand for what it finds.
/// base64  the table as the file writes it; "": nothing is changed
/// Errors  InvalidData for another text.
[[nodiscard]] TextChange charsmap_change(const std::string& base64);

}  // namespace detent
