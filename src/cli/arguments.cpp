#include <algorithm>
#include <filesystem>

#include "cli/config_reader.h"
#include "cli/program.h"
#include "core/nearest_names.h"
#include "core/text.h"

namespace detent::cli {

namespace {

bool names_json_file(const std::string& argument) {
  if (argument == "-" || argument.ends_with(".json")) return true;
  if (argument.starts_with("-") || argument.ends_with(".onnx") || argument.ends_with(".dct")) return false;
  std::error_code ignored;
  return !std::filesystem::exists(argument, ignored);
}

/// Puts the value of every --json behind an "=". Alone it gets "-". The next argument is its FILE if it is "-", ends in
/// .json, or is neither an option, an existing path, a model nor a table: `plan --json model.onnx` prints, `plan
/// model.onnx --json plan.json` writes.
std::vector<std::string> with_json_values(const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") {
      result.insert(result.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
      break;
    }
    if (arguments[i] != "--json")
      result.push_back(arguments[i]);
    else if (i + 1 < arguments.size() && names_json_file(arguments[i + 1]))
      result.push_back("--json=" + arguments[++i]);
    else
      result.emplace_back("--json=-");
  }
  return result;
}

/// Replaces "detent" and "detent help [COMMAND...]" by the arguments that print that help.
std::vector<std::string> with_help(std::vector<std::string> arguments) {
  if (arguments.empty()) return {"--help"};
  if (arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  if (std::find(arguments.begin(), arguments.end(), "--help") == arguments.end()) arguments.emplace_back("--help");
  return arguments;
}

/// Takes --long from the arguments of "detent help [COMMAND...]" and notes the command in `program`.
std::vector<std::string> without_long(Program& program, std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help" || std::erase(arguments, "--long") == 0) return arguments;
  program.long_help = join(std::span(arguments).subspan(1), " ");
  return arguments;
}

/// Refuses an unknown command, of which CLI11 would only say that a command is missing.
/// Errors  Usage when the first argument is neither an option nor a command.
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

void add_options(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
}

/// Returns the error for arguments that `app` could not parse. An unknown option comes before a missing one, for which
/// it may stand. The hint names the likely option or subcommand, or says where they are listed.
Error usage_error(const Program& program, const CLI::ParseError& error) {
  const CLI::App& app = program.app;
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
    for (const Declared& one : program.commands)
      for (const Option& option : one.options->options)
        if (one.app == command && option.only_key() && option.long_name() == name)
          return {ErrorCode::Usage, "there is no option '" + name + "'",
                  "did you mean '" + option.spelling() + "=VALUE'?"};
    if (name.starts_with("--"))
      return {ErrorCode::Usage, "there is no option '" + name + "'", did_you_mean(name, options, otherwise)};
    if (!subcommands.empty()) return {ErrorCode::Usage, error.what(), did_you_mean(unknown, subcommands, otherwise)};
  }
  return {ErrorCode::Usage, error.what(), otherwise};
}

}  // namespace

std::string typed_command(std::span<const char* const> arguments) {
  std::string text = "detent";
  for (const char* argument : arguments) text += " " + shell_quoted(argument);
  return text;
}

void parse(Program& program, const std::vector<std::string>& typed) {
  for (const std::string& argument : typed)
    if (nests_too_deep(argument))
      throw Error(ErrorCode::Usage, "brackets are nested deeper than 100 in '" + argument.substr(0, 40) + "...'");
  std::vector<std::string> arguments = with_json_values(with_help(without_long(program, typed)));
  refuse_unknown_command(program, arguments);
  std::ranges::reverse(arguments);  // as CLI11 takes them
  try {
    program.app.parse(std::move(arguments));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ConfigError& error) {
    throw Error(ErrorCode::Usage, std::string("--config: unknown key: ") + error.what(),
                "'detent COMMAND --print-config' shows the keys");
  } catch (const CLI::FileError& error) {
    throw Error(ErrorCode::Usage, std::string("--config: ") + error.what());
  } catch (const CLI::ParseError& error) {
    throw usage_error(program, error);
  }
}

}  // namespace detent::cli
