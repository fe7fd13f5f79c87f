#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace detent {

/// Reads a JSON file that users write by hand and that holds one object.
/// expected  the message for another kind of document: "an object of value names is expected: {...}".
/// Errors    InvalidOption, beginning with the path: those of read_json(), a name given twice in one object, no object.
[[nodiscard]] nlohmann::json read_json_object(const std::filesystem::path& file, const std::string& expected);

}  // namespace detent
