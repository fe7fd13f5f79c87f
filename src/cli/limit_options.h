#pragma once

#include <CLI/CLI.hpp>

namespace detent::cli {

/// --max-memory, of every command that reads models or data: set when it is parsed, for the whole process.
void add_limit_options(CLI::App& app);

/// --allow-external, likewise, where `app` declares a model: its positional or option MODEL, inspect's FILE or verify's DIR.
void add_external_option(CLI::App& app);

}  // namespace detent::cli
