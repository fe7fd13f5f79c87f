#include "manual/pages.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include "core/text.h"
#include "datasets/images/preprocess.h"
#include "detent/base/calibrator.h"
#include "detent/plan.h"
#include "pipeline/latency/ready_commands.h"

namespace detent::manual {

namespace {

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \n") - first + 1));
}

/// Returns the words of "int8|fp8", without placeholders ("N|channel" gives "channel" alone).
std::vector<std::string> choices_of(const std::string& value) {
  std::vector<std::string> words;
  if (value.find('|') == std::string::npos) return words;
  for (size_t at = 0; at <= value.size();) {
    const size_t end = std::min(value.find('|', at), value.size());
    const std::string word = value.substr(at, end - at);
    const bool literal = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::islower(c) || std::isdigit(c) || c == '-' || c == '_' || c == '.';
    });
    if (literal) words.push_back(word);
    at = end + 1;
  }
  return words;
}

std::vector<std::string> target_words() {
  std::vector<std::string> words;
  for (const TargetInfo& one : known_targets())
    for (const std::string& word : {std::string(one.name), std::string(one.spec)})
      if (std::ranges::count(words, word) == 0) words.push_back(word);
  return words;
}

std::vector<std::string> preset_words() {
  std::vector<std::string> words;
  for (const PreprocessPreset& preset : preprocess_presets()) words.emplace_back(preset.name);
  for (const char* audio : {"log-mel", "whisper", "fbank", "raw-audio"}) words.emplace_back(audio);
  return words;
}

std::vector<std::string> calibrator_words() {
  std::vector<std::string> words{"auto"};
  for (const CalibratorEntry& one : calibrator_list()) words.emplace_back(one.name);
  return words;
}

std::vector<std::string> latency_words() {
  std::vector<std::string> words;
  for (const ReadyCommand& one : ready_commands()) words.emplace_back(one.name);
  return words;
}

/// Returns the first words of values that may be others, too: "tensorrt:8.6" beside "tensorrt".
std::vector<std::string> words_of_option(const std::string& name) {
  struct Words {
    const char* option;
    std::vector<std::string> (*list)();
  };
  constexpr std::array<Words, 6> kWords{{{"--target", target_words},
                                         {"--targets", target_words},
                                         {"--preprocess", preset_words},
                                         {"--calibrator", calibrator_words},
                                         {"--calibrators", calibrator_words},
                                         {"--latency-command", latency_words}}};
  for (const Words& one : kWords)
    if (name == one.option) return one.list();
  return {};
}

/// Returns "concat=inputs" and the other values of the keys that begin a text: "concat=independent|inputs|shared, ...";
/// "include-op=" for a key with a value of the user's.
std::vector<std::string> key_words(const std::string& text) {
  static const std::regex key("([a-z][a-z-]*)=([^,\\s]+)");
  const std::string keys = text.substr(0, text.find('\n'));
  std::vector<std::string> words;
  for (auto at = std::sregex_iterator(keys.begin(), keys.end(), key); at != std::sregex_iterator(); ++at) {
    const std::vector<std::string> values = choices_of((*at)[2]);
    for (const std::string& value : values) words.push_back((*at)[1].str() + "=" + value);
    if (values.empty()) words.push_back((*at)[1].str() + "=");
  }
  return words;
}

/// Returns the offer for a value. Upper case words name the kind of a value.
Offer offer_of(const OptionEntry& entry) {
  if (!entry.choices.empty()) return Offer::Choices;
  const std::string& kind = entry.positional ? entry.names.front() : entry.value;
  const auto has = [&](std::string_view word) { return kind.find(word) != std::string::npos; };
  if (has("DIR") && !has("FILE")) return Offer::Folders;
  for (const std::string_view file : {"FILE", "MODEL", "TABLE", "SRC", "OUT", "."})
    if (has(file)) return Offer::Files;
  return entry.positional ? Offer::Files : Offer::Nothing;
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  entry.positional = option.nonpositional() ? false : option.get_positional();
  if (entry.positional) {
    entry.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  }
  entry.required = option.get_required();
  entry.repeats = option.get_items_expected_max() > 1;
  entry.takes_value = option.get_items_expected_max() > 0;
  entry.value_may_miss = entry.takes_value && option.get_items_expected_min() == 0;
  if (entry.takes_value && !entry.positional) entry.value = option.get_type_name();
  entry.fallback = option.get_default_str();
  entry.group = option.get_group() == "Options" ? "" : option.get_group();
  entry.text = option.get_description();
  entry.choices = entry.value.starts_with("KEY=") ? key_words(entry.text) : choices_of(entry.value);
  if (const std::vector<std::string> words = words_of_option(entry.names.back()); !words.empty()) entry.choices = words;
  entry.offer = entry.takes_value ? offer_of(entry) : Offer::Nothing;
  return entry;
}

/// Returns the page of `app`. `parents` are the names in front of its name, each with a blank behind.
CommandPage page_of(const CLI::App& app, const std::string& parents = "") {
  CommandPage page;
  page.name = parents + app.get_name();
  page.summary = app.get_description();
  const std::string footer = app.get_footer(), heading = "Example\n";
  const size_t example = std::min(footer.rfind(heading), footer.size());
  page.footer = trimmed(footer.substr(0, example));
  if (example < footer.size()) page.example = trimmed(footer.substr(example + heading.size()));
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) page.options.push_back(entry_of(*option));  // without a group: hidden
  for (const CLI::App* below : app.get_subcommands({})) page.below.push_back(below);
  return page;
}

}  // namespace

std::string words_below(const CommandPage& page) {
  const size_t blank = page.name.find(' ');
  return blank == std::string::npos ? "" : page.name.substr(blank + 1);
}

std::string command_names(std::span<const CommandPage> pages) {
  return join(pages.front().below, " ", [](const CLI::App* command) { return command->get_name(); });
}

std::string function_name(const CommandPage& page) {
  std::string name = "_" + page.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string short_text(const std::string& text) {
  constexpr size_t kMost = 90;
  std::string line = text.substr(0, std::min({text.find('\n'), text.find(". "), text.find("; "), text.find(": ")}));
  if (line.size() > kMost) line = line.substr(0, line.rfind(' ', kMost)) + " ...";
  return line;
}

std::vector<CommandPage> all_pages(const CLI::App& program) {
  std::vector<CommandPage> pages{page_of(program)};
  for (const CLI::App* command : program.get_subcommands({})) {
    pages.push_back(page_of(*command, program.get_name() + " "));
    for (const CLI::App* nested : command->get_subcommands({}))
      pages.push_back(page_of(*nested, pages.front().name + " " + command->get_name() + " "));
  }
  return pages;
}

}  // namespace detent::manual
