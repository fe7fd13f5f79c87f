#include "cli/program.h"

#include "core/text.h"

namespace detent::cli {

namespace {

/// TOML string; CLI11 2.1.2 reads no escapes, so text with quotes or backslashes becomes a literal string.
std::string toml_quoted(const std::string& text) {
  const char mark = text.find_first_of("\"\\") == std::string::npos ? '"' : '\'';
  return mark + text + mark;
}

std::string key_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : option.get_lnames().front();
}

std::string value_of(const CLI::Option& option) {
  const bool repeatable = option.get_items_expected_max() > 1 || option.count() > 1;
  const std::string list = join(option.results(), ", ", toml_quoted);
  return repeatable ? "[" + list + "]" : list;
}

/// "cache.export"
std::string section_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent->get_parent() ? section_name(*parent) + "." : "") + command.get_name();
}

}  // namespace

std::string config_text(const CLI::App& command) {
  std::string text = "[" + section_name(command) + "]\n";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_configurable()) continue;
    const bool flag = option->get_items_expected_max() == 0;
    if (flag)
      text += key_of(*option) + " = " + (option->count() > 0 && option->as<bool>() ? "true" : "false") + "\n";
    else if (option->count() > 0)
      text += key_of(*option) + " = " + value_of(*option) + "\n";
    else if (!option->get_default_str().empty())
      text += key_of(*option) + " = " + toml_quoted(option->get_default_str()) + "\n";
  }
  return text;
}

}  // namespace detent::cli
