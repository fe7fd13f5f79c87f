#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace detent::cli {

/// "detent" and "detent help [COMMAND...]" as the arguments that print that help; all others as they are.
[[nodiscard]] std::vector<std::string> with_help(std::vector<std::string> arguments);

/// Errors  Usage when the first argument is neither an option nor a command; CLI11 would only miss a command.
void refuse_unknown_command(const std::vector<std::string>& arguments);

/// The hint for arguments that `app` could not parse: what the first one that is not known may stand for, of the options or
/// subcommands of the command that was given; else where they are listed.
[[nodiscard]] std::string hint_for(const CLI::App& app);

}  // namespace detent::cli
