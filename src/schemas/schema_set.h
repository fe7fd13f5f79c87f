#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace detent::json {

/// Members stay in the order in which they are written.
using Json = nlohmann::ordered_json;

/// The JSON Schemas of all documents, and that of the parts they share as "parts", by kind.
[[nodiscard]] std::map<std::string, Json> make_schemas();

/// A TypedDict for each document, part and object inside: the text of a .pyi file.
[[nodiscard]] std::string make_python_types(const std::map<std::string, Json>& schemas);

}  // namespace detent::json
