#include "core/text.h"
#include "manual/pages.h"

namespace detent::manual {

namespace {

/// Returns text inside single quotes of fish. Source: its language reference, "Quotes".
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// Returns the condition that the words of `page` stand on the line, and no command below it.
std::string condition(const CommandPage& page) {
  const std::string words = words_below(page);
  if (words.empty()) return "__fish_use_subcommand";
  const size_t blank = words.find(' ');
  std::string text = "__fish_seen_subcommand_from " + words.substr(0, blank);
  if (blank != std::string::npos) text += "; and __fish_seen_subcommand_from " + words.substr(blank + 1);
  if (page.below.empty()) return text;
  text += "; and not __fish_seen_subcommand_from";
  for (const CLI::App* below : page.below) text += " " + below->get_name();
  return text;
}

std::string line(const CommandPage& page, const OptionEntry& entry) {
  std::string text = "complete -c detent -n " + in_quotes(condition(page));
  for (const std::string& name : entry.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (entry.takes_value && !entry.value_may_miss) text += entry.offer == Offer::Files ? " -r -F" : " -x";
  if (entry.offer == Offer::Folders) text += " -a '(__fish_complete_directories)'";
  if (entry.offer == Offer::Choices) text += " -a " + in_quotes(join(entry.choices, " "));
  return text + " -d " + in_quotes(short_text(entry.text)) + "\n";
}

}  // namespace

std::string fish_completion(std::span<const CommandPage> pages) {
  std::string text = "# fish completion for detent. Made from its options; changes are lost.\n\n";
  for (const CommandPage& page : pages) {
    for (const CLI::App* below : page.below)
      text += "complete -c detent -f -n " + in_quotes(condition(page)) + " -a " + below->get_name() + " -d " +
              in_quotes(short_text(below->get_description())) + "\n";
    for (const OptionEntry& entry : page.options)
      if (!entry.positional) text += line(page, entry);
  }
  const std::string help = "complete -c detent -f -n '__fish_seen_subcommand_from help' ";
  return text + "complete -c detent -f -n '__fish_use_subcommand' -a help -d " + in_quotes(kHelpSummary) + "\n" + help +
         "-a " + in_quotes(command_names(pages)) + "\n" + help + "-l long -d " + in_quotes(kHelpLong) + "\n";
}

}  // namespace detent::manual
