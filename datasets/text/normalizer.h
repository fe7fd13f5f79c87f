#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "datasets/text/byte_characters.h"

namespace detent {

/// Reads the member "normalizer" of a tokenizer.json: what happens to a text before it is taken apart; null: nothing.
/// Errors  InvalidData naming a kind that is not known; those of nlohmann::json.
[[nodiscard]] TextChange read_normalizer(const nlohmann::json& json);

}  // namespace detent
