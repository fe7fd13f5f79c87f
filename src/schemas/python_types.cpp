#include <cctype>

#include "core/text.h"
#include "schemas/schema_set.h"

namespace detent::json {

namespace {

/// Returns "QuantizeWeights" for "quantize-weights".
std::string class_name(std::string_view name) {
  std::string result;
  bool first = true;
  for (const char c : name) {
    const bool inside = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (inside) result += first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    first = !inside;
  }
  return result;
}

/// Writer of the classes for a schema, inner ones first.
class TypeWriter {
 public:
  void write_class(const std::string& name, const Json& schema) {
    const std::string overload = schema.at("properties").size() > 1 ? "    @overload\n" : "";
    std::string members, items;
    for (const auto& [member, property] : schema.at("properties").items()) {
      const std::string type = type_of(name + class_name(member), property);
      members += "    " + member + ": " + type + "\n";
      items += overload + "    def __getitem__(self, name: Literal[\"" + member + "\"], /) -> " + type + ": ...\n";
    }
    text_ += "class " + name + "(Report):\n" + members + items + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  /// Returns the type of a value; `name` is that of the class if it is an object.
  std::string type_of(const std::string& name, const Json& schema) {
    if (schema.contains("$ref")) {
      const std::string reference = schema["$ref"];
      const size_t kind = reference.find(':', reference.find(':') + 1) + 1;  // of "urn:detent:quantize:2.0"
      if (reference.find('/') == std::string::npos)
        return class_name(reference.substr(kind, reference.rfind(':') - kind)) + "Report";
      return class_name(reference.substr(reference.rfind('/') + 1));
    }
    if (schema.contains("const")) return "Literal[" + schema["const"].dump() + "]";
    if (schema.contains("enum"))
      return "Literal[" +
             join(schema["enum"], ", ", [](const Json& word) { return word.is_null() ? "None" : word.dump(); }) + "]";
    if (schema.contains("anyOf"))
      return "Union[" + join(schema["anyOf"], ", ", [&](const Json& one) { return type_of(name, one); }) + "]";
    const Json& type = schema.at("type");
    if (type.is_string()) return plain_type(name, type, schema);
    return "Optional[" + plain_type(name, type.front(), schema) + "]";
  }

  std::string plain_type(const std::string& name, const std::string& type, const Json& schema) {
    if (type == "array") return "list[" + (schema.contains("items") ? type_of(name, schema["items"]) : "Any") + "]";
    if (type == "object" && schema.contains("properties")) {
      write_class(name, schema);
      return name;
    }
    if (type == "object") return "dict[str, " + type_of(name, schema["additionalProperties"]) + "]";
    if (type == "null") return "None";
    return type == "string" ? "str" : type == "boolean" ? "bool" : type == "integer" ? "int" : "float";
  }

  std::string text_;
};

}  // namespace

std::string make_python_types(const std::map<std::string, Json>& schemas) {
  TypeWriter writer;
  for (const auto& [name, part] : schemas.at("parts").at("$defs").items()) writer.write_class(class_name(name), part);
  for (const auto& [kind, schema] : schemas)
    if (kind != "parts") writer.write_class(class_name(kind) + "Report", schema);
  return R"(from typing import Any, Literal, Optional, TypeVar, Union, overload

_Self = TypeVar("_Self")

class Report(dict[str, Any]):
    @property
    def failure(self) -> Optional[str]: ...
    def raise_for_failure(self: _Self) -> _Self: ...
    def to_html(self) -> str: ...

)" + writer.text();
}

}  // namespace detent::json
