#include "datasets/state/state_document.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "core/nearest_names.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

}  // namespace

void refuse_state(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::InvalidOption, what, hint);
}

void check_keys(const Json& object, const std::vector<std::string>& known, const std::string& where) {
  for (const auto& [key, ignored] : object.items())
    if (std::ranges::find(known, key) == known.end())
      refuse_state(where + "the key \"" + key + "\" is not known", did_you_mean(key, known));
}

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

namespace {

StateFile::Cut read_cut(const std::string& input, const Json& entry) {
  const std::string what = "\"cut\" of '" + input + "'";
  if (entry.is_number()) return {number_of(entry, what, 0)};
  if (!entry.is_object() || !entry.contains("axis"))
    refuse_state(what + " is an axis, or an object such as {\"axis\": 1, \"length\": 4}");
  check_keys(entry, {"axis", "length", "from", "hop"}, what + ": ");
  StateFile::Cut cut{number_of(entry["axis"], what + ": \"axis\"", 0)};
  if (entry.contains("length")) cut.length = number_of(entry["length"], what + ": \"length\"", 1);
  if (entry.contains("from")) {
    if (entry["from"] != "start") refuse_state(what + ": \"from\" can only be \"start\", not " + entry["from"].dump());
    cut.from_start = true;
  }
  if (!entry.contains("hop")) return cut;
  if (cut.from_start) refuse_state(what + ": \"hop\" does not go with \"from\": all positions are there");
  cut.hop = number_of(entry["hop"], what + ": \"hop\"", 1);
  return cut;
}

std::vector<int64_t> read_tokens(const Json& entry, const std::string& what) {
  std::vector<int64_t> tokens;
  if (!entry.is_array()) return {number_of(entry, what, 0)};
  for (const Json& one : entry) tokens.push_back(number_of(one, what, 0));
  if (tokens.empty()) refuse_state(what + " has no token");
  return tokens;
}

/// name  of the input in the whole model.
void read_start(const std::string& input, const std::string& name, const Json& entry, StateFile& state) {
  const std::string what = "\"start\" of '" + input + "'";
  const bool is_token = std::ranges::find(state.tokens, name, &StateFile::Token::input) != state.tokens.end();
  if (entry.is_number() || entry.is_array()) {
    state.first_tokens[name] = read_tokens(entry, what);
    state.starts[name] = StateStart::Tokens;
    return;
  }
  const std::string word = text_of(entry, what);
  if (word == "data")
    state.starts[name] = StateStart::Data;
  else if (is_token)
    refuse_state(what + " is \"data\", a token such as 1, or tokens such as [1, 7], not \"" + word + "\"");
  else if (word == "zeros")
    state.starts[name] = StateStart::Zeros;
  else if (word == "empty")
    state.starts[name] = StateStart::Empty;
  else
    refuse_state(what + " is one of \"zeros\", \"empty\" and \"data\", or whole numbers, not \"" + word + "\"");
}

/// Adds a feed; takes "argmax(OUTPUT)" and "append(argmax(OUTPUT))" apart.
void read_feed(const std::string& source, const std::string& input, const WholeName& whole, StateFile& state) {
  const auto inside = [](const std::string& text, std::string_view call) -> std::optional<std::string> {
    if (!text.starts_with(std::string(call) + "(") || !text.ends_with(")")) return std::nullopt;
    return text.substr(call.size() + 1, text.size() - call.size() - 2);
  };
  const auto appended = inside(source, "append");
  const auto output = inside(appended.value_or(source), "argmax");
  if (output && !output->empty())
    state.tokens.push_back({whole(*output), whole(input), appended.has_value()});
  else if (appended)
    refuse_state("'" + source + "': only a token is appended: append(argmax(OUTPUT))");
  else
    state.feeds.emplace_back(whole(source), whole(input));
}

}  // namespace

StateFile state_of(const Json& document, const WholeName& whole) {
  check_keys(document, {"feeds", "cut", "start"}, "");
  StateFile state;
  const Json feeds = object_in(document, "feeds", "{\"OUTPUT\": \"INPUT\"}");
  if (feeds.empty()) refuse_state("\"feeds\" names no output: {\"feeds\": {\"OUTPUT\": \"INPUT\"}}");
  std::map<std::string, std::string> fed;  // input: the output
  for (const auto& [output, entry] : feeds.items()) {
    const std::string input = text_of(entry, "the input that '" + output + "' feeds");
    if (const auto [other, is_new] = fed.emplace(input, output); !is_new)
      refuse_state("the input '" + input + "' is fed twice, by '" + other->second + "' and '" + output + "'");
    read_feed(output, input, whole, state);
  }
  const Json cuts = object_in(document, "cut", "{\"INPUT\": 1}");
  for (const auto& [input, entry] : cuts.items()) {
    if (fed.contains(input)) refuse_state("the input '" + input + "' is fed by an output, and cannot be cut too");
    state.cuts[whole(input)] = read_cut(input, entry);
  }
  const Json starts = object_in(document, "start", "{\"INPUT\": \"zeros\"}");
  for (const auto& [input, entry] : starts.items()) {
    if (!fed.contains(input)) refuse_state("\"start\" names '" + input + "', which no output feeds");
    read_start(input, whole(input), entry, state);
  }
  return state;
}

}  // namespace detent
