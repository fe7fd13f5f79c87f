#include <algorithm>
#include <string>
#include <vector>

#include "cli/program.h"
#include "core/text.h"
#include "options/key_options.h"

namespace detent::cli {

namespace {

/// Returns a string as ConfigReader reads it.
std::string toml_string(const std::string& text) {
  const bool plain = text.find_first_of("'\n\r\t") == std::string::npos;
  if (plain && text.find_first_of("\"\\") != std::string::npos) return "'" + text + "'";
  std::string string = "\"";
  for (const char c : text) {
    if (c == '\n')
      string += "\\n";
    else if (c == '\r')
      string += "\\r";
    else if (c == '\t')
      string += "\\t";
    else
      string += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return string + '"';
}

/// Returns "cache.export"; "" for the program.
std::string section_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  if (!parent) return "";
  return (parent->get_parent() ? section_name(*parent) + "." : "") + command.get_name();
}

/// Returns true where keys of `option` keep their names as options.
bool has_named_keys(const OptionList& list, const std::string& option) {
  return std::ranges::any_of(list.options,
                             [&](const Option& key) { return key.traits.keeps_name && key.traits.key_of == option; });
}

bool takes_several(const Option& option) {
  const auto* parsed = std::get_if<Parsed>(&option.into);
  return (parsed && parsed->repeats) || std::holds_alternative<DataOptions*>(option.into) ||
         std::holds_alternative<std::vector<std::string>*>(option.into) ||
         std::holds_alternative<std::vector<std::filesystem::path>*>(option.into);
}

/// Returns the value of a line; "" for an option that has none. A text that is parsed is as it was given.
std::string value_of(const CLI::App& command, const OptionList& list, const Option& option) {
  if (const bool* const* flag = std::get_if<bool*>(&option.into)) return **flag ? "true" : "false";
  std::vector<std::string> values;
  if (std::holds_alternative<Parsed>(option.into)) {
    values = key_values(list, option.long_name());
    if (!values.empty()) return toml_string(join(values, ","));
    if (has_named_keys(list, option.long_name())) return "";  // they have separate lines
    if (!option.traits.key_of.empty()) values = texts_of_key(command, option);
    for (const std::string& text : command.get_option(option.long_name())->results()) values.push_back(text);
    if (values.empty() && !option.traits.default_text.empty()) values = {option.traits.default_text};
  } else {
    values = values_of(option);
  }
  const bool given = command.get_option(option.long_name())->count() > 0 ||
                     (!option.traits.key_of.empty() && !texts_of_key(command, option).empty());
  if (values.empty() || (!given && values.front() == "0")) return "";  // 0 stands for a default
  return values.size() > 1 || takes_several(option) ? "[" + join(values, ", ", toml_string) + "]"
                                                    : toml_string(values.front());
}

}  // namespace

std::vector<std::string> texts_of_key(const CLI::App& command, const Option& key) {
  std::vector<std::string> texts;
  for (const std::string& text : command.get_option(key.traits.key_of)->results())
    for (std::string& value : values_of_key(text, key.long_name().substr(2))) texts.push_back(std::move(value));
  return texts;
}

std::string config_text(const CLI::App& command, const OptionList& list) {
  const std::string section = section_name(command);
  std::string text = section.empty() ? "" : "[" + section + "]\n";
  for (const Option& option : list.options) {
    if (option.only_key()) continue;
    const std::string value = value_of(command, list, option);
    const std::string key = option.positional() ? option.name : option.long_name().substr(2);
    if (!value.empty()) text += key + " = " + value + "\n";
  }
  return text;
}

}  // namespace detent::cli
