#include "options/key_options.h"

#include <algorithm>
#include <string_view>

#include "core/nearest_names.h"
#include "core/text.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// An option that takes KEY=VALUE.
struct KeyOption {
  std::string_view name, group, summary;
};
constexpr KeyOption kKeyOptions[] = {
    {"--policy", "Placement", "Choices whose defaults fit most models, separated by commas:"},
    {"--format", "Format", "Details of the written file, separated by commas:"},
};

std::vector<Option> find_keys(const OptionList& list, std::string_view option) {
  std::vector<Option> keys;
  std::ranges::copy_if(list.options, std::back_inserter(keys),
                       [&](const Option& one) { return one.traits.key_of == option; });
  return keys;
}

std::string key_name(const Option& key) { return key.long_name().substr(2); }

bool is_flag(const Option& key) { return std::holds_alternative<bool*>(key.into); }

/// Returns "concat=independent|inputs|shared (default shared)".
std::string key_form(const Option& key) {
  const auto* choice = std::get_if<Choice>(&key.into);
  const std::string values = choice ? join(choice->words, "|") : is_flag(key) ? "on|off" : key.type;
  const std::string usual = choice ? choice->get() : is_flag(key) ? "off" : "";
  return key_name(key) + "=" + values + (usual.empty() ? "" : " (default " + usual + ")");
}

void take_key(const Option& key, const std::string& value) {
  if (const auto* choice = std::get_if<Choice>(&key.into)) {
    if (std::ranges::find(choice->words, value) == choice->words.end())
      refuse_word(key.spelling(), value, choice->words);
    choice->take(value);
  } else if (bool* const* flag = std::get_if<bool*>(&key.into)) {
    if (value != "on" && value != "off") refuse_word(key.spelling(), value, {"off", "on"});
    **flag = value == "on";
  } else {
    std::get<std::vector<std::string>*>(key.into)->push_back(value);
  }
}

}  // namespace

OptionList with_key_options(const OptionList& list) {
  OptionList all = list;
  for (const KeyOption& option : kKeyOptions) {
    const std::vector<Option> keys = find_keys(list, option.name);
    if (keys.empty()) continue;
    std::string help(option.summary);
    for (const Option& key : keys) help += "\n  " + key_form(key) + ": " + key.help;
    const auto take = [name = std::string(option.name), keys](const std::string& text) { take_keys(name, keys, text); };
    const auto behind = std::ranges::find_if(all.options.rbegin(), all.options.rend(), [&](const Option& one) {
                          return one.traits.key_of == option.name;
                        }).base();
    all.options.insert(behind, row(std::string(option.name) + " KEY=VALUE,...", Parsed{.take = take, .joins = true},
                                   help, {.group = std::string(option.group), .command_line_only = true}));
  }
  return all;
}

void take_keys(const std::string& option, const std::vector<Option>& keys, const std::string& text) {
  std::vector<std::string> seen;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    const std::string name = part.substr(0, part.find('='));
    const auto key = std::ranges::find(keys, name, key_name);
    if (key == keys.end()) {
      std::vector<std::string> names;
      std::ranges::transform(keys, std::back_inserter(names), key_name);
      throw Error(ErrorCode::Usage, option + ": there is no key '" + name + "'",
                  did_you_mean(name, names, "keys are: " + join(names)));
    }
    if (name.size() == part.size())
      throw Error(ErrorCode::Usage, option + ": '" + name + "' has no value", "write " + key_form(*key));
    const bool repeats = std::holds_alternative<std::vector<std::string>*>(key->into);
    if (!repeats && std::ranges::find(seen, name) != seen.end())
      throw Error(ErrorCode::Usage, option + ": '" + name + "' is given twice", "remove one of the two");
    seen.push_back(name);
    take_key(*key, part.substr(name.size() + 1));
  }
}

std::vector<std::string> key_values(const OptionList& list, const std::string& option) {
  std::vector<std::string> found;
  for (const Option& key : find_keys(list, option)) {
    std::vector<std::string> values = values_of(key);
    if (is_flag(key) && values.empty()) values = {"off"};
    for (const std::string& value : values) found.push_back(key_name(key) + "=" + value);
  }
  return found;
}

}  // namespace detent
