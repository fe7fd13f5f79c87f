#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/state/state.h"

namespace detent {

/// Returns the name of an input or output in the whole model.
using WholeName = std::function<std::string(const std::string&)>;

/// Returns the state that an object describes, with the names of the whole model.
/// Errors  InvalidOption, as read_state_file(), without a path.
[[nodiscard]] StateFile state_of(const nlohmann::json& document, const WholeName& whole = std::identity());

/// Errors  InvalidOption, always.
[[noreturn]] void refuse_state(const std::string& what, const std::string& hint = {});

/// Refuses keys of an object that are none of `known`.
void check_keys(const nlohmann::json& object, const std::vector<std::string>& known, const std::string& where);

/// Returns a text.
/// Errors  InvalidOption beginning with `what`.
[[nodiscard]] std::string text_of(const nlohmann::json& value, const std::string& what);

/// Returns a whole number from `least` on.
/// Errors  InvalidOption beginning with `what`.
[[nodiscard]] int64_t number_of(const nlohmann::json& value, const std::string& what, int64_t least);

/// Returns a member that is an object; an empty one where it is absent.
[[nodiscard]] nlohmann::json object_in(const nlohmann::json& document, const std::string& key,
                                       const std::string& example);

}  // namespace detent
