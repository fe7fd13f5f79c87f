#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace detent::cli {

/// The options of a parsed command as a TOML section that --config reads back: what was given, and defaults that have a value.
[[nodiscard]] std::string config_text(const CLI::App& command);

}  // namespace detent::cli
