#include "datasets/state_file.h"

#include <algorithm>

#include "core/nearest_names.h"
#include "datasets/json_object.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_state(const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::InvalidOption, what, hint);
}

/// Refuses keys of an object that are none of `known`.
void check_keys(const Json& object, const std::vector<std::string>& known, const std::string& where) {
  for (const auto& [key, ignored] : object.items())
    if (std::ranges::find(known, key) == known.end())
      refuse_state(where + "the key \"" + key + "\" is not known", did_you_mean(key, known));
}

/// Returns a member that is an object; an empty one where it is absent.
Json object_in(const Json& document, const std::string& key, const std::string& example) {
  if (!document.contains(key)) return Json::object();
  if (!document[key].is_object()) refuse_state("\"" + key + "\" is an object such as " + example);
  return document[key];
}

std::string text_of(const Json& value, const std::string& what) {
  if (!value.is_string()) refuse_state(what + " is not a text: " + value.dump());
  return value.get<std::string>();
}

int64_t number_of(const Json& value, const std::string& what, int64_t least) {
  if (!value.is_number_integer() || value.get<int64_t>() < least)
    refuse_state(what + " is not a whole number from " + std::to_string(least) + " on: " + value.dump());
  return value.get<int64_t>();
}

StateFile::Cut read_cut(const std::string& input, const Json& entry) {
  const std::string what = "\"cut\" of '" + input + "'";
  if (entry.is_number()) return {number_of(entry, what, 0)};
  if (!entry.is_object() || !entry.contains("axis"))
    refuse_state(what + " is an axis, or an object such as {\"axis\": 1, \"length\": 4}");
  check_keys(entry, {"axis", "length", "from"}, what + ": ");
  StateFile::Cut cut{number_of(entry["axis"], what + ": \"axis\"", 0)};
  if (entry.contains("length")) cut.length = number_of(entry["length"], what + ": \"length\"", 1);
  if (entry.contains("from")) {
    if (entry["from"] != "start") refuse_state(what + ": \"from\" can only be \"start\", not " + entry["from"].dump());
    cut.from_start = true;
  }
  return cut;
}

StateStart read_start(const std::string& input, const Json& entry) {
  const std::string word = text_of(entry, "\"start\" of '" + input + "'");
  if (word == "zeros") return StateStart::Zeros;
  if (word == "empty") return StateStart::Empty;
  if (word == "data") return StateStart::Data;
  refuse_state("\"start\" of '" + input + "' is one of \"zeros\", \"empty\" and \"data\", not \"" + word + "\"");
}

StateFile parse_state(const Json& document) {
  check_keys(document, {"feeds", "cut", "start"}, "");
  StateFile state;
  const Json feeds = object_in(document, "feeds", "{\"OUTPUT\": \"INPUT\"}");
  if (feeds.empty()) refuse_state("\"feeds\" names no output: {\"feeds\": {\"OUTPUT\": \"INPUT\"}}");
  for (const auto& [output, entry] : feeds.items()) {
    const std::string input = text_of(entry, "the input that '" + output + "' feeds");
    for (const auto& [other, fed] : state.feeds)
      if (fed == input) refuse_state("the input '" + input + "' is fed twice, by '" + other + "' and '" + output + "'");
    state.feeds.emplace_back(output, input);
  }
  const auto is_fed = [&](const std::string& input) {
    return std::ranges::any_of(state.feeds, [&](const auto& feed) { return feed.second == input; });
  };
  const Json cuts = object_in(document, "cut", "{\"INPUT\": 1}");
  for (const auto& [input, entry] : cuts.items()) {
    if (is_fed(input)) refuse_state("the input '" + input + "' is fed by an output, and cannot be cut too");
    state.cuts[input] = read_cut(input, entry);
  }
  const Json starts = object_in(document, "start", "{\"INPUT\": \"zeros\"}");
  for (const auto& [input, entry] : starts.items()) {
    if (!is_fed(input)) refuse_state("\"start\" names '" + input + "', which no output feeds");
    state.starts[input] = read_start(input, entry);
  }
  return state;
}

}  // namespace

StateFile read_state_file(const std::filesystem::path& file) {
  const Json document =
      read_json_object(file, "an object is expected: {\"feeds\": {\"OUTPUT\": \"INPUT\"}, \"cut\": {\"INPUT\": AXIS}}");
  try {
    return parse_state(document);
  } catch (const Error& error) {
    throw error.in(file.string());
  }
}

}  // namespace detent
