#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace detent {

/// A part of a text that no token crosses.
struct TextPiece {
  std::string text;
  bool leads = false;  ///< it begins the text
};

/// Takes pieces apart further; many threads call it at once.
using PieceSplit = std::function<std::vector<TextPiece>(std::vector<TextPiece>)>;

/// Reads the member "pre_tokenizer" of a tokenizer.json; null: nothing is taken apart.
/// Errors  InvalidData naming a kind that is not known; those of nlohmann::json.
[[nodiscard]] PieceSplit read_pre_tokenizer(const nlohmann::json& json);

}  // namespace detent
