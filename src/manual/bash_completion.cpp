#include <algorithm>

#include "core/text.h"
#include "manual/pages.h"

namespace detent::manual {

namespace {

/// Returns the assignment to COMPREPLY for the value of `entry`.
std::string reply(const OptionEntry& entry) {
  switch (entry.offer) {
    case Offer::Choices: return "_detent_words '" + join(entry.choices, " ") + "'";
    case Offer::Files: return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"${cur#*=}\"))";
    case Offer::Folders: return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))";
    default: return "COMPREPLY=()";
  }
}

}  // namespace

std::string bash_completion(std::span<const CommandPage> pages) {
  std::string text =
      "# bash completion for detent. Made from its options; changes are lost.\n\n"
      "# Offers words for the value so far. bash replaces only what stands behind the last ':' or '='.\n"
      "_detent_words() {\n  local begin=${value%\"${value##*[:=]}\"}\n"
      "  COMPREPLY=($(compgen -W \"$1\" -- \"$value\"))\n  COMPREPLY=(\"${COMPREPLY[@]#\"$begin\"}\")\n}\n\n";
  for (const CommandPage& page : pages) {
    std::vector<std::string> words;
    for (const CLI::App* below : page.below) words.push_back(below->get_name());
    if (words_below(page).empty()) words.emplace_back("help");
    std::string cases;
    for (const OptionEntry& entry : page.options) {
      if (entry.positional) continue;
      words.insert(words.end(), entry.names.begin(), entry.names.end());
      if (entry.takes_value && !entry.value_may_miss)
        cases += "    " + join(entry.names, "|") + ") " + reply(entry) + "; return ;;\n";
    }
    text += function_name(page) + "() {\n  case \"$option\" in\n" + cases + "    *) ;;\n  esac\n";
    const bool takes_files = std::ranges::any_of(page.options, [](const auto& e) { return e.positional; });
    text += "  if [[ $cur == -* ]]" + std::string(takes_files ? "" : " || true") + "; then\n";
    text += "    COMPREPLY=($(compgen -W '" + join(words, " ") + "' -- \"$cur\"))\n";
    text += "  else\n    compopt -o filenames\n    COMPREPLY=($(compgen -f -- \"$cur\"))\n  fi\n}\n\n";
  }
  text += "_detent_help() {\n  COMPREPLY=($(compgen -W '" + command_names(pages) + " --long' -- \"$cur\"))\n}\n\n";
  text +=
      "_detent_main() {\n  local cur=${COMP_WORDS[COMP_CWORD]} command='' word i\n"
      "  # bash takes \"--option=value\" and values with ':' or '=' apart.\n"
      "  local option value=$cur at=$COMP_CWORD\n"
      "  while ((at > 1)) && [[ ${COMP_WORDS[at]} == [:=] || ${COMP_WORDS[at-1]} == [:=] ]]; do\n"
      "    ((at--))\n    value=${COMP_WORDS[at]}$value\n  done\n"
      "  option=${COMP_WORDS[at-1]}\n"
      "  if [[ $value == --*=* ]]; then option=${value%%=*}; value=${value#*=}; fi\n"
      "  if [[ $cur == '=' ]]; then cur=''; fi\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    case \"$command $word\" in\n"
      "      ' help') command='help' ;;\n";
  for (const CommandPage& page : pages) {
    const std::string words = words_below(page);
    if (words.empty()) continue;
    const size_t blank = words.rfind(' ');
    const std::string before = blank == std::string::npos ? "" : words.substr(0, blank);
    const std::string last = blank == std::string::npos ? words : words.substr(blank + 1);
    text += "      '" + before + " " + last + "') command='" + words + "' ;;\n";
  }
  text += "    esac\n  done\n  case \"$command\" in\n";
  for (const CommandPage& page : pages) text += "    '" + words_below(page) + "') " + function_name(page) + " ;;\n";
  return text + "    'help') _detent_help ;;\n  esac\n}\n\ncomplete -F _detent_main detent\n";
}

}  // namespace detent::manual
