#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "detent/error.h"

namespace detent::cli {

/// "detent" and "detent help [COMMAND...]" as the arguments that print that help; all others as they are.
[[nodiscard]] std::vector<std::string> with_help(std::vector<std::string> arguments);

/// Errors  Usage when the first argument is neither an option nor a command; CLI11 would only miss a command.
void refuse_unknown_command(const std::vector<std::string>& arguments);

/// What is wrong with arguments that `app` could not parse: an option that does not exist goes before one that is missing, which it may
/// stand for. The hint says which of the options or subcommands of the command was likely meant; else where they are listed.
[[nodiscard]] Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace detent::cli
