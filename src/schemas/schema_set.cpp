#include "schemas/schema_set.h"

#include <filesystem>
#include <ranges>
#include <type_traits>

#include "report/json/fields/compare.h"
#include "report/json/fields/explain.h"
#include "report/json/fields/files.h"
#include "report/json/fields/plan.h"
#include "report/json/fields/quantize.h"

namespace detent::json {

namespace {

/// Returns the schema with null as another allowed value.
Json or_null(Json schema) {
  if (schema.contains("type")) {
    Json& type = schema["type"];
    if (type.is_string()) type = {type, "null"};
    return schema;
  }
  if (!schema.contains("anyOf")) schema = {{"anyOf", {schema}}};
  schema["anyOf"].push_back({{"type", "null"}});
  return schema;
}

template <class T>
Json schema_of(Json& parts);

/// Visitor that describes the fields of a report as the properties of an object.
class Describer {
 public:
  explicit Describer(Json& parts) : parts_(parts) {}

  void document(const char* kind, const char* title) {
    head_ = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", schema_id(kind)}, {"title", title}};
    properties_["schema"] = {{"description", "The $id of the JSON Schema that the document follows."},
                             {"const", schema_id(kind)}};
    required_.push_back("schema");
  }
  void part(const char* name, const char* description) {
    part_ = name;
    head_ = {{"description", description}};
  }
  void either(std::initializer_list<const char*> names, std::initializer_list<const char*> others) {
    alternatives_ = {{{"required", names}}, {{"required", others}}};
  }
  template <class T>
  void operator()(const char* name, const T& /*value*/, std::string_view description,
                  const std::vector<std::string>& words = {}) {
    required_.push_back(name);
    Json& property = properties_[name] = {{"description", description}};
    if (words.empty()) return property.update(schema_of<std::decay_t<T>>(parts_));
    property["enum"] = words;
    if (kIsOptional<T>) property["enum"].push_back(nullptr);
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& /*value*/, std::string_view description) {
    properties_[name] = {{"description", description}};
    properties_[name].update(schema_of<T>(parts_));
  }

  /// Returns the object, or a reference to it if it is a part.
  [[nodiscard]] Json schema() const {
    Json object = head_;
    object.update(
        {{"type", "object"}, {"required", required_}, {"properties", properties_}, {"additionalProperties", false}});
    if (!alternatives_.empty()) object["oneOf"] = alternatives_;
    if (part_.empty()) return object;
    parts_[part_] = object;
    return {{"$ref", schema_id("parts") + "#/$defs/" + part_}};
  }

 private:
  Json& parts_;
  std::string part_;
  Json head_ = Json::object(), properties_ = Json::object(), required_ = Json::array(), alternatives_;
};

template <class T>
Json struct_schema(Json& parts) {
  Describer describer(parts);
  fields(describer, T{});
  return describer.schema();
}

template <class T>
Json schema_of(Json& parts) {
  if constexpr (std::is_null_pointer_v<T>)
    return {{"type", "null"}};
  else if constexpr (std::is_same_v<T, bool>)
    return {{"type", "boolean"}};
  else if constexpr (std::is_same_v<T, int>)
    return {{"type", "integer"}};
  else if constexpr (std::is_integral_v<T>)  // a count
    return {{"type", "integer"}, {"minimum", 0}};
  else if constexpr (std::is_same_v<T, double>)
    return {{"type", {"number", "null"}}};
  else if constexpr (std::is_same_v<T, Finite>)
    return {{"type", "number"}};
  else if constexpr (std::is_same_v<T, OpenSize>)
    return {{"type", "integer"}, {"minimum", -1}};
  else if constexpr (std::is_same_v<T, WeightBlock>)
    return {{"anyOf", {{{"type", "integer"}, {"minimum", 1}}, {{"const", "channel"}}}}};
  else if constexpr (std::is_same_v<T, NoList>)
    return {{"type", "array"}, {"maxItems", 0}};
  else if constexpr (std::is_same_v<T, std::filesystem::path> || std::is_convertible_v<T, std::string_view>)
    return {{"type", "string"}};
  else if constexpr (kIsOptional<T>)
    return or_null(schema_of<typename T::value_type>(parts));
  else if constexpr (NamedValues<T>)
    return {{"type", "object"},
            {"additionalProperties", schema_of<std::decay_t<decltype(std::declval<T>().begin()->second)>>(parts)}};
  else if constexpr (std::ranges::range<T>)
    return {{"type", "array"}, {"items", schema_of<typename T::value_type>(parts)}};
  else if (Json schema = struct_schema<T>(parts); schema.contains("$id"))  // a document in another
    return {{"$ref", schema["$id"]}};
  else
    return schema;
}

template <class... Reports>
std::map<std::string, Json> schemas_of() {
  std::map<std::string, Json> schemas;
  Json parts = Json::object();
  for (Json& schema : std::array{struct_schema<Reports>(parts)...}) {
    const std::string id = schema["$id"];
    const size_t kind = id.find(':', id.find(':') + 1) + 1;
    schemas.emplace(id.substr(kind, id.rfind(':') - kind), std::move(schema));
  }
  schemas["parts"] = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                      {"$id", schema_id("parts")},
                      {"title", "Parts that several documents have"},
                      {"$defs", parts}};
  return schemas;
}

}  // namespace

std::map<std::string, Json> make_schemas() {
  return schemas_of<ModelReport, TableReport, DistributionReport, PlanReport, LintReport, ExplainReport, RepairReport,
                    QuantizeReport, QuantizeTargetsReport, QuantizeWeightsReport, CastReport, VerifyReport,
                    CompareCalibratorsReport, CompareTypesReport, CompareTargetsReport, SensitivityReport, RunReport,
                    CacheExportReport, CacheImportReport>();
}

}  // namespace detent::json
