#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/state/state.h"

namespace detent {

/// Returns the state that an object describes.
/// Errors  InvalidOption, as read_state_file(), without a path.
[[nodiscard]] StateFile state_of(const nlohmann::json& document);

/// Refuses keys of an object that are none of `known`.
void check_keys(const nlohmann::json& object, const std::vector<std::string>& known, const std::string& where);

/// Returns a text.
/// Errors  InvalidOption beginning with `what`.
[[nodiscard]] std::string text_of(const nlohmann::json& value, const std::string& what);

/// Returns a member that is an object; an empty one where it is absent.
[[nodiscard]] nlohmann::json object_in(const nlohmann::json& document, const std::string& key,
                                       const std::string& example);

}  // namespace detent
