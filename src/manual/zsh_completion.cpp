#include <algorithm>

#include "core/text.h"
#include "manual/pages.h"

namespace detent::manual {

namespace {

/// Escapes text inside single quotes of a specification, where brackets and colons have a meaning. Source:
/// zshcompsys(1), _arguments.
std::string zsh_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string action(const OptionEntry& entry) {
  if (entry.offer == Offer::Files) return "_files";
  if (entry.offer == Offer::Folders) return "_files -/";
  if (entry.offer == Offer::Nothing) return " ";
  return "(" + join(entry.choices, " ") + ")";
}

std::string specification(const OptionEntry& entry, const std::string& name) {
  std::string text = entry.repeats ? "*" : "";
  text += name;
  if (entry.takes_value && name.starts_with("--")) text += "=";
  text += "[" + zsh_escaped(short_text(entry.text)) + "]";
  if (entry.takes_value)
    text += std::string(entry.value_may_miss ? "::" : ":") + zsh_escaped(entry.value) + ":" + action(entry);
  return "    '" + text + "' \\\n";
}

}  // namespace

std::string zsh_completion(std::span<const CommandPage> pages) {
  std::string text = "#compdef detent\n# Made from the program's options; changes are lost.\n\n";
  text += "_detent_help() {\n  _arguments '--long[" + zsh_escaped(kHelpLong) + "]' '1:command:(" +
          command_names(pages) + ")'\n}\n\n";
  for (const CommandPage& page : pages) {
    text += function_name(page) + "() {\n";
    if (!page.below.empty()) text += "  local state line\n  local -a commands\n";
    text += "  _arguments -C -s \\\n";
    for (const OptionEntry& entry : page.options) {
      if (entry.positional) {
        text +=
            "    '" + std::string(entry.repeats ? "*" : "") + ":" + zsh_escaped(entry.names.front()) + ":_files' \\\n";
        continue;
      }
      for (const std::string& name : entry.names) text += specification(entry, name);
    }
    if (page.below.empty()) {
      text += "    && return\n}\n\n";
      continue;
    }
    text += "    '1: :->command' '*:: :->rest' && return\n  commands=(\n";
    for (const CLI::App* below : page.below)
      text += "    '" + zsh_escaped(below->get_name()) + ":" + zsh_escaped(below->get_description()) + "'\n";
    const bool program = words_below(page).empty();
    if (program) text += "    'help:" + zsh_escaped(kHelpSummary) + "'\n";
    text += "  )\n  case $state in\n    command) _describe command commands ;;\n    rest)\n      case $words[1] in\n";
    for (const CLI::App* below : page.below)
      text += "        " + below->get_name() + ") " + function_name(page) + "_" + below->get_name() + " ;;\n";
    if (program) text += "        help) _detent_help ;;\n";
    text += "      esac ;;\n  esac\n}\n\n";
  }
  return text + "_detent \"$@\"\n";
}

}  // namespace detent::manual
