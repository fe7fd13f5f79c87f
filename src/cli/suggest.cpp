#include "cli/program.h"

#include <algorithm>

#include "core/nearest_names.h"

namespace detent::cli {

namespace {

void add_options(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
}

}  // namespace

std::vector<std::string> with_help(std::vector<std::string> arguments) {
  if (arguments.empty()) return {"--help"};
  if (arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  if (std::find(arguments.begin(), arguments.end(), "--help") == arguments.end()) arguments.emplace_back("--help");
  return arguments;
}

void refuse_unknown_command(const Program& program, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return;
  std::vector<std::string> names{"help"};
  std::string known;
  for (const CLI::App* command : program.app.get_subcommands({})) {
    if (command->get_name() == arguments.front()) return;
    names.push_back(command->get_name());
    known += " " + names.back();
  }
  throw Error(ErrorCode::Usage, "there is no command '" + arguments.front() + "'",
              did_you_mean(arguments.front(), names, "commands are:" + known));
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::vector<std::string> options;
  add_options(app, options);
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    add_options(*command, options);
  }
  std::vector<std::string> subcommands;
  for (const CLI::App* sub : command->get_subcommands({})) subcommands.push_back(sub->get_name());
  const std::string otherwise = "'detent --help' and 'detent COMMAND --help' list commands and options";
  for (const std::string& unknown : app.remaining(true)) {
    const std::string name = unknown.substr(0, unknown.find('='));
    if (name.starts_with("--"))
      return {ErrorCode::Usage, "there is no option '" + name + "'", did_you_mean(name, options, otherwise)};
    if (!subcommands.empty()) return {ErrorCode::Usage, error.what(), did_you_mean(unknown, subcommands, otherwise)};
  }
  return {ErrorCode::Usage, error.what(), otherwise};
}

}  // namespace detent::cli
