#include <algorithm>

#include "cli/program.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "options/key_options.h"

namespace detent::cli {

namespace {

/// Returns "--block"; CLI11 does not return the name of a hidden option.
std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : "--" + option.get_lnames().front();
}

/// Returns true for a default; files of `--print-config` set every option.
bool says_default(const CLI::Option& option) {
  const std::string given = join(option.results(), ","), usual = option.get_default_str();
  return given == usual || "[" + given + "]" == usual || given == "false";
}

/// Returns the new name of an option of the old command; "" if there is none.
std::string new_name(const OldSpelling& spelling, const std::string& old_name) {
  if (const auto found = spelling.renamed.find(old_name); found != spelling.renamed.end()) return found->second;
  const bool taken = std::ranges::any_of(spelling.renamed, [&](const auto& pair) { return pair.second == old_name; });
  return !taken && spelling.now->get_option_no_throw(old_name) ? old_name : "";
}

void add_old_spelling(Program& program, OldSpelling spelling, const std::string& type) {
  const std::string command = "'detent " + spelling.now->get_name() + "'";
  const auto ignore = [](const std::string&) {};
  spelling.old->add_option_function<std::string>(spelling.option, ignore, "Runs " + command + " instead")
      ->type_name(type)
      ->group("")
      ->join(',');
  for (const CLI::Option* option : spelling.now->get_options())
    if (!spelling.old->get_option_no_throw(name_of(*option)) && !option->get_positional())
      spelling.added.push_back(spelling.old->add_option_function<std::string>(name_of(*option), ignore)->group(""));
  program.old_spellings.push_back(std::move(spelling));
}

std::vector<std::string> translated(const OldSpelling& spelling) {
  std::vector<std::string> arguments{spelling.now->get_name()};
  for (const CLI::Option* option : spelling.old->get_options()) {
    if (option->count() == 0) continue;
    const std::string name = name_of(*option), renamed = new_name(spelling, name);
    if (renamed.empty() && !says_default(*option))
      throw Error(ErrorCode::Usage, name + " does not apply to " + spelling.option, "remove one of the two");
    if (renamed.empty() || (renamed != name && name != spelling.option && says_default(*option))) continue;
    for (const std::string& value : option->results())
      arguments.push_back(option->get_positional() ? value : renamed + "=" + value);
  }
  return arguments;
}

}  // namespace

std::vector<std::string> texts_of_key(const CLI::App& command, const Option& key) {
  std::vector<std::string> texts;
  for (const std::string& text : command.get_option(key.traits.key_of)->results())
    for (std::string& value : values_of_key(text, key.long_name().substr(2))) texts.push_back(std::move(value));
  return texts;
}

std::vector<std::string> old_spellings_of(const CLI::App& command, const OptionList& list) {
  std::vector<std::string> hints;
  for (const Option& option : list.options) {
    const std::string name = option.long_name();
    const bool is_key = !option.traits.key_of.empty();
    if (!(is_key || is_old_spelling(option)) || command.get_option(name)->count() == 0) continue;
    if (is_key && !texts_of_key(command, option).empty())
      throw Error(ErrorCode::Usage, name + " and " + option.spelling() + "= are both given", "remove " + name);
    if (is_old_spelling(option))
      hints.push_back(name + " is an old spelling of " +
                      (is_key ? option.spelling() + "=VALUE" : option.traits.old_of));
  }
  return hints;
}

void declare_old_spellings(Program& program) {
  const auto command = [&](const char* name) { return program.app.get_subcommand(name); };
  add_old_spelling(program,
                   {command("quantize"), command("quantize-weights"), "--weight-only", {{"--weight-only", "--type"}}},
                   "int4|int8");
  add_old_spelling(
      program, {command("compare"), command("compare-types"), "--types", {{"--calibrators", "--calibrator"}}}, "LIST");
}

std::optional<std::vector<std::string>> new_spelling(const Program& program) {
  for (const OldSpelling& spelling : program.old_spellings) {
    if (!spelling.old->parsed()) continue;
    if (spelling.old->get_option(spelling.option)->count() > 0) return translated(spelling);
    for (const CLI::Option* option : spelling.added)
      if (option->count() > 0)
        throw Error(ErrorCode::Usage, name_of(*option) + " is for " + spelling.option,
                    "'detent " + spelling.now->get_name() + "' has it");
  }
  return std::nullopt;
}

}  // namespace detent::cli
