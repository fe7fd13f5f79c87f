#include "report/json/json.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ranges>
#include <type_traits>

#include "core/shown_text.h"
#include "report/json/fields/compare.h"
#include "report/json/fields/explain.h"
#include "report/json/fields/files.h"
#include "report/json/fields/plan.h"
#include "report/json/fields/quantize.h"

namespace detent {

namespace json {
namespace {

/// Members keep the order in which they are written.
using Json = nlohmann::ordered_json;

template <class T>
Json json_of(const T& value);

/// Visitor that writes the fields of a report into an object.
class Writer {
 public:
  explicit Writer(Json& object) : object_(object) {}

  void document(const char* kind, const char* /*title*/) { object_["schema"] = schema_id(kind); }
  void part(const char* /*name*/, const char* /*description*/) {}
  void either(std::initializer_list<const char*> /*names*/, std::initializer_list<const char*> /*others*/) {}
  void operator()(const char* name, const auto& value, std::string_view /*description*/,
                  const std::vector<std::string>& /*words*/ = {}) {
    object_[name] = json_of(value);
  }
  void optional(const char* name, const auto& value, std::string_view /*description*/) {
    if (value) object_[name] = json_of(*value);
  }

 private:
  Json& object_;
};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json list_of(const auto& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(json_of(value));
  return list;
}

Json object_of(const auto& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = json_of(value);
  return object;
}

template <class T>
Json struct_of(const T& report) {
  Json object = Json::object();
  Writer writer(object);
  fields(writer, report);
  return object;
}

template <class T>
Json json_of(const T& value) {
  if constexpr (std::is_null_pointer_v<T> || std::is_integral_v<T>)
    return value;
  else if constexpr (std::is_same_v<T, double>)
    return number(value);
  else if constexpr (std::is_same_v<T, Finite>)
    return number(value.value);
  else if constexpr (std::is_same_v<T, OpenSize>)
    return value.value;
  else if constexpr (std::is_same_v<T, WeightBlock>)
    return value.size == 0 ? Json("channel") : Json(value.size);
  else if constexpr (std::is_same_v<T, std::filesystem::path>)
    return value.string();
  else if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return std::string_view(value);
  else if constexpr (kIsOptional<T>)
    return value ? json_of(*value) : Json(nullptr);
  else if constexpr (NamedValues<T>)
    return object_of(value);
  else if constexpr (std::ranges::range<T>)
    return list_of(value);
  else
    return struct_of(value);
}

}  // namespace
}  // namespace json

template <class Report>
std::string to_json(const Report& report) {
  return shown_json(json::struct_of(report).dump(2, ' ', false, json::Json::error_handler_t::replace)) + "\n";
}

template std::string to_json(const ModelReport&);
template std::string to_json(const TableReport&);
template std::string to_json(const DistributionReport&);
template std::string to_json(const PlanReport&);
template std::string to_json(const LintReport&);
template std::string to_json(const ExplainReport&);
template std::string to_json(const RepairReport&);
template std::string to_json(const QuantizeReport&);
template std::string to_json(const QuantizeTargetsReport&);
template std::string to_json(const QuantizeWeightsReport&);
template std::string to_json(const CastReport&);
template std::string to_json(const VerifyReport&);
template std::string to_json(const CompareCalibratorsReport&);
template std::string to_json(const CompareTypesReport&);
template std::string to_json(const CompareTargetsReport&);
template std::string to_json(const SensitivityReport&);
template std::string to_json(const RunReport&);
template std::string to_json(const CacheExportReport&);
template std::string to_json(const CacheImportReport&);

}  // namespace detent
