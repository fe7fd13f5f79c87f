#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace detent::json {

/// Members keep the order in which they are written.
using Json = nlohmann::ordered_json;

/// Returns the JSON Schemas of all documents by kind, and that of shared parts as "parts".
[[nodiscard]] std::map<std::string, Json> make_schemas();

/// Returns a class for each document, part and inner object, with a typed attribute and a typed index for each
/// member, as the text of a .pyi file.
[[nodiscard]] std::string make_python_types(const std::map<std::string, Json>& schemas);

}  // namespace detent::json
