#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "detent/progress.h"

namespace detent::cli {

/// Given to every command.
struct Environment {
  Reporter& reporter;
  std::string command = {};  ///< the command line, for pages
};

/// Runs a parsed command; returns the exit code.
using Action = std::function<int(Environment&)>;

/// A subcommand: declares its options on `app` and returns what to do once they are parsed.
struct Command {
  std::string_view name;
  std::string_view summary;  ///< the line in `detent --help`
  std::string_view example;  ///< closes the command's help; works in a fresh checkout
  Action (*declare)(CLI::App& app);
};

/// In the order a user meets them.
[[nodiscard]] std::span<const Command> command_list();

[[nodiscard]] Action declare_quantize(CLI::App& app);
[[nodiscard]] Action declare_cast(CLI::App& app);
[[nodiscard]] Action declare_calibrate(CLI::App& app);
[[nodiscard]] Action declare_merge(CLI::App& app);
[[nodiscard]] Action declare_plan(CLI::App& app);
[[nodiscard]] Action declare_compare(CLI::App& app);
[[nodiscard]] Action declare_sensitivity(CLI::App& app);
[[nodiscard]] Action declare_lint(CLI::App& app);
[[nodiscard]] Action declare_run(CLI::App& app);
[[nodiscard]] Action declare_verify(CLI::App& app);
[[nodiscard]] Action declare_inspect(CLI::App& app);
[[nodiscard]] Action declare_cache(CLI::App& app);

}  // namespace detent::cli
