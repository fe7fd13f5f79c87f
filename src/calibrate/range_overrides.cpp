#include "calibrate/range_overrides.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>

#include "core/nearest_names.h"
#include "core/text.h"
#include "datasets/base/json_object.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::InvalidOption, what); }

float number(const Json& entry, const char* key) {
  const Json& value = entry.at(key);
  if (!value.is_number()) refuse(std::string("\"") + key + "\" is not a number: " + value.dump());
  const auto number = value.get<float>();
  if (!std::isfinite(number)) refuse(std::string("\"") + key + "\" is too large for a float: " + value.dump());
  return number;
}

std::shared_ptr<const Calibrator> calibrator(const Json& value) {
  if (!value.is_string()) refuse("\"calibrator\" is not a text: " + value.dump());
  try {
    return make_calibrator(value.get<std::string>());
  } catch (const Error& error) {
    throw Error(ErrorCode::InvalidOption, error.what(), error.hint());
  }
}

/// Returns 16, or 0 where the entry does not choose the bits.
int bits_of(const Json& entry) {
  if (!entry.contains("bits")) return 0;
  if (entry.at("bits") != 16)
    throw Error(ErrorCode::InvalidOption, "\"bits\" is not 16: " + entry.at("bits").dump(),
                "--activation says the type of the other values");
  return 16;
}

RangeOverride parse_override(const Json& entry) {
  if (!entry.is_object()) refuse("{...} is expected, not " + entry.dump());
  const int bits = bits_of(entry);
  std::string keys;
  for (const auto& [key, ignored] : entry.items())
    if (key != "bits") keys += (keys.empty() ? "" : " ") + key;
  if (bits != 0 && keys.empty()) return {nullptr, {}, bits};
  if (keys == "calibrator") return {calibrator(entry.at("calibrator")), {}, bits};
  if (keys == "amax") {
    const float amax = number(entry, "amax");
    if (!(amax > 0)) refuse("\"amax\" is not greater than 0: " + entry.at("amax").dump());
    return {nullptr, {-amax, amax}, bits};
  }
  if (keys == "max min") {
    const Range range{number(entry, "min"), number(entry, "max")};
    if (!(range.min <= 0 && range.max >= 0)) refuse("the range does not contain 0: " + entry.dump());
    if (range.min == range.max) refuse("the range is empty: " + entry.dump());
    return {nullptr, range, bits};
  }
  throw Error(ErrorCode::InvalidOption, "the keys are {" + keys + "}",
              "one of {\"calibrator\": NAME}, {\"amax\": X} and {\"min\": X, \"max\": Y} is expected, or \"bits\": 16, "
              "alone or with one of them");
}

bool same(const RangeOverride& a, const RangeOverride& b) {
  if (a.calibrator && b.calibrator) return a.calibrator->name() == b.calibrator->name();
  return !a.calibrator && !b.calibrator && a.range == b.range;
}

}  // namespace

RangeOverrides read_overrides(const std::filesystem::path& file) {
  RangeOverrides overrides;
  if (file.empty()) return overrides;
  const Json document = read_json_object(file, "an object of value names is expected: {\"NAME\": {\"amax\": 1.5}}");
  for (const auto& [name, entry] : document.items()) {
    try {
      overrides[name] = parse_override(entry);
    } catch (const Error& error) {
      throw error.in("'" + name + "'").in(file.string());
    }
  }
  return overrides;
}

std::string format_overrides(const std::map<std::string, Range>& ranges) {
  Json document = Json::object();
  for (const auto& [name, range] : ranges)
    if (range.min < range.max) document[name] = {{"min", range.min}, {"max", range.max}};
  return document.dump(2) + "\n";
}

std::vector<std::string> wide_values(const RangeOverrides& overrides) {
  std::vector<std::string> names;
  for (const auto& [name, chosen] : overrides)
    if (chosen.bits == 16) names.push_back(name);
  return names;
}

void check_overrides(const RangeOverrides& overrides, const Graph& graph, const PlacementPlan& plan) {
  std::vector<std::string> paired;
  for (const ValueId value : plan.quantized_values()) paired.push_back(graph.value(value).name);
  const std::unordered_set<std::string_view> known(paired.begin(), paired.end());
  for (const auto& [name, ignored] : overrides) {
    if (known.contains(name)) continue;
    const std::string near = join(nearest_names(name, paired, 3), "', '");
    throw Error(ErrorCode::InvalidOption, "--override names '" + name + "', which gets no pair",
                near.empty() ? "nothing of this model gets a pair" : "the nearest that do: '" + near + "'");
  }
  for (const auto& group : plan.scale_groups()) {
    const RangeOverrides::value_type* first = nullptr;
    for (const ValueId member : group) {
      const auto found = overrides.find(graph.value(member).name);
      if (found == overrides.end() || !found->second.chooses_range()) continue;
      if (!first) first = &*found;
      if (!same(first->second, found->second))
        throw Error(ErrorCode::InvalidOption,
                    "--override gives '" + first->first + "' and '" + found->first +
                        "' different ranges, but they share one scale",
                    "name one of them, or both alike");
    }
  }
}

const RangeOverride* find_override(const RangeOverrides& overrides, const Graph& graph,
                                   std::span<const ValueId> members) {
  for (const ValueId member : members)
    if (const auto found = overrides.find(graph.value(member).name);
        found != overrides.end() && found->second.chooses_range())
      return &found->second;
  return nullptr;
}

}  // namespace detent
