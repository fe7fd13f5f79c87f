#include "options/key_options.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/nearest_names.h"
#include "core/parse.h"
#include "core/text.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// An option that takes KEY=VALUE.
struct KeyOption {
  std::string_view name, group, summary;
};
constexpr KeyOption kKeyOptions[] = {
    {"--feed", "Data", "How samples feed the model (each key is an option, too: --steps 4)"},
    {"--policy", "Placement", "Choices whose defaults fit most models"},
    {"--format", "Format", "Details of the written file"},
};

std::vector<Option> find_keys(const OptionList& list, std::string_view option) {
  std::vector<Option> keys;
  std::ranges::copy_if(list.options, std::back_inserter(keys),
                       [&](const Option& one) { return one.traits.key_of == option; });
  return keys;
}

std::string key_name(const Option& key) { return key.long_name().substr(2); }

bool is_flag(const Option& key) { return std::holds_alternative<bool*>(key.into); }

/// Returns "concat=independent|inputs|shared".
std::string key_form(const Option& key) {
  const auto* choice = std::get_if<Choice>(&key.into);
  return key_name(key) + "=" + (choice ? join(choice->words, "|") : is_flag(key) ? "off|on" : key.type);
}

/// Returns "concat: Scales around a Concat (default shared)".
std::string key_help(const Option& key) {
  const auto* choice = std::get_if<Choice>(&key.into);
  const std::string usual = choice ? choice->get() : is_flag(key) ? "off" : "";
  return key_name(key) + ": " + key.help + (usual.empty() ? "" : " (default: " + usual + ")");
}

/// Calls `take(key, value)` for each part of "concat=inputs,maxpool=both"; the value is "" where there is none.
template <class Take>
void for_each_key(const std::string& text, const Take& take) {
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    const size_t equals = part.find('=');
    take(part.substr(0, equals), equals == std::string::npos ? std::string() : part.substr(equals + 1));
  }
}

/// Sets a member of each kind that keys have from a text.
struct TakeText {
  const Option& key;
  const std::string& text;

  void operator()(const Choice&) const { take_word(key, text); }
  void operator()(const Parsed& parsed) const { parsed.take(text); }
  void operator()(bool* member) const {
    if (text != "on" && text != "off") refuse_word(key.long_name(), text, {"off", "on"});
    *member = text == "on";
  }
  void operator()(std::optional<size_t>* member) const {
    check_number(key, text, true);
    *member = parse_number<size_t>(text);
  }
  void operator()(std::vector<std::string>* member) const { member->push_back(text); }
  void operator()(std::filesystem::path* member) const { *member = text; }
  template <class Other>
  void operator()(Other*) const {
    throw Error(ErrorCode::Internal, key.long_name() + " has a member that no key has yet");
  }
};

}  // namespace

OptionList with_key_options(const OptionList& list) {
  OptionList all = list;
  for (const KeyOption& option : kKeyOptions) {
    const std::vector<Option> keys = find_keys(list, option.name);
    if (keys.empty()) continue;
    std::string help = std::string(option.summary) + ": " + join(keys, ", ", key_form);
    for (const Option& key : keys) help += "\n  " + key_help(key);
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
  for_each_key(text, [&](const std::string& name, const std::string& value) {
    const auto found = std::ranges::find(keys, name, key_name);
    if (found == keys.end()) {
      std::vector<std::string> names;
      std::ranges::transform(keys, std::back_inserter(names), key_name);
      throw Error(ErrorCode::Usage, option + ": there is no key '" + name + "'",
                  did_you_mean(name, names, "keys are: " + join(names)));
    }
    if (value.empty())
      throw Error(ErrorCode::Usage, option + ": '" + name + "' has no value", "write " + key_form(*found));
    const bool repeats = std::holds_alternative<std::vector<std::string>*>(found->into);
    if (!repeats && std::ranges::find(seen, name) != seen.end())
      throw Error(ErrorCode::Usage, option + ": '" + name + "' is given twice", "remove one of the two");
    seen.push_back(name);
    Option key = *found;
    key.name = key.spelling();  // as messages name it
    take_text(key, value);
  });
}

void take_text(const Option& option, const std::string& text) { std::visit(TakeText{option, text}, option.into); }

std::vector<std::string> values_of_key(const std::string& text, const std::string& key) {
  std::vector<std::string> values;
  for_each_key(text, [&](const std::string& name, const std::string& value) {
    if (name == key) values.push_back(value);
  });
  return values;
}

std::vector<std::string> key_values(const OptionList& list, const std::string& option) {
  std::vector<std::string> found;
  for (const Option& key : find_keys(list, option)) {
    if (key.traits.keeps_name) continue;
    std::vector<std::string> values = values_of(key);
    if (is_flag(key) && values.empty()) values = {"off"};
    for (const std::string& value : values) found.push_back(key_name(key) + "=" + value);
  }
  return found;
}

}  // namespace detent
