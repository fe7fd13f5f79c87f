#include "calibrate/range_overrides.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/nearest_names.h"
#include "detent/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::InvalidOption, what); }

float number(const Json& entry, const char* key) {
  const Json& value = entry.at(key);
  if (!value.is_number()) refuse(std::string("\"") + key + "\" is no number: " + value.dump());
  const auto number = value.get<float>();
  if (!std::isfinite(number)) refuse(std::string("\"") + key + "\" is too large for a float: " + value.dump());
  return number;
}

std::shared_ptr<const Calibrator> calibrator(const Json& value) {
  if (!value.is_string()) refuse("\"calibrator\" is no text: " + value.dump());
  try {
    return make_calibrator(value.get<std::string>());
  } catch (const Error& error) {
    throw Error(ErrorCode::InvalidOption, error.what(), error.hint());
  }
}

RangeOverride parse_override(const Json& entry) {
  if (!entry.is_object()) refuse("{...} is expected, not " + entry.dump());
  std::string keys;
  for (const auto& [key, ignored] : entry.items()) keys += (keys.empty() ? "" : " ") + key;
  if (keys == "calibrator") return {calibrator(entry.at("calibrator")), {}};
  if (keys == "amax") {
    const float amax = number(entry, "amax");
    if (!(amax > 0)) refuse("\"amax\" is not greater than 0: " + entry.at("amax").dump());
    return {nullptr, {-amax, amax}};
  }
  if (keys == "max min") {
    const Range range{number(entry, "min"), number(entry, "max")};
    if (!(range.min <= 0 && range.max >= 0)) refuse("the range does not contain 0: " + entry.dump());
    if (range.min == range.max) refuse("the range is empty: " + entry.dump());
    return {nullptr, range};
  }
  throw Error(ErrorCode::InvalidOption, "the keys are {" + keys + "}",
              "one of {\"calibrator\": NAME}, {\"amax\": X} and {\"min\": X, \"max\": Y} is expected");
}

/// The library's message without the number in front: it names line and column.
std::string plain_message(const Json::exception& error) {
  const std::string text = error.what();
  const size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

constexpr int kDeepestJson = 16;  // two levels are meant; the bound keeps the library off the stack's end

/// Parses; a name given twice is an error, because the library would take the last one without a word.
Json parse(std::istream& stream) {
  std::vector<std::set<std::string>> names;  // of the objects around, outermost first
  const auto watch = [&names](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > kDeepestJson) refuse("brackets are nested deeper than " + std::to_string(kDeepestJson));
    if (event == Event::object_start) names.emplace_back();
    if (event == Event::object_end) names.pop_back();
    if (event == Event::key && !names.back().insert(parsed.get<std::string>()).second)
      refuse("\"" + parsed.get<std::string>() + "\" is given twice");
    return true;
  };
  return Json::parse(stream, watch);
}

bool same(const RangeOverride& a, const RangeOverride& b) {
  if (a.calibrator && b.calibrator) return a.calibrator->name() == b.calibrator->name();
  return !a.calibrator && !b.calibrator && a.range == b.range;
}

}  // namespace

RangeOverrides read_overrides(const std::filesystem::path& file) {
  RangeOverrides overrides;
  if (file.empty()) return overrides;
  std::error_code ignored;
  std::ifstream stream;
  if (std::filesystem::is_regular_file(file, ignored)) stream.open(file);
  if (!stream.is_open()) throw Error(ErrorCode::InvalidOption, file.string() + ": cannot be read");
  try {
    const Json document = parse(stream);
    if (!document.is_object()) refuse("an object of value names is expected: {\"NAME\": {\"amax\": 1.5}}");
    for (const auto& [name, entry] : document.items()) {
      try {
        overrides[name] = parse_override(entry);
      } catch (const Error& error) {
        throw error.in("'" + name + "'");
      }
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::InvalidOption, file.string() + ": " + plain_message(error));
  } catch (const Error& error) {
    throw error.in(file.string());
  }
  return overrides;
}

void check_overrides(const RangeOverrides& overrides, const Graph& graph, const PlacementPlan& plan) {
  std::vector<std::string> paired;
  for (const ValueId value : plan.quantized_values()) paired.push_back(graph.value(value).name);
  for (const auto& [name, ignored] : overrides) {
    if (std::find(paired.begin(), paired.end(), name) != paired.end()) continue;
    std::string hint;
    for (const std::string& near : nearest_names(name, paired, 3)) hint += (hint.empty() ? "'" : ", '") + near + "'";
    throw Error(ErrorCode::InvalidOption, "--override names '" + name + "', which gets no pair",
                hint.empty() ? "nothing of this model gets a pair" : "the nearest that do: " + hint);
  }
  for (const auto& group : plan.scale_groups()) {
    const RangeOverrides::value_type* first = nullptr;
    for (const ValueId member : group) {
      const auto found = overrides.find(graph.value(member).name);
      if (found == overrides.end()) continue;
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
    if (const auto found = overrides.find(graph.value(member).name); found != overrides.end()) return &found->second;
  return nullptr;
}

}  // namespace detent
