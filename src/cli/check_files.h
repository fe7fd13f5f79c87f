#pragma once

#include <CLI/CLI.hpp>

namespace detent::cli {

/// Looks at all options of a parsed command that name files. A file that the command reads is never written by it, --overwrite or not.
/// Errors  CannotWrite when an output is an input under whatever name (links resolved), an existing file among the samples of a
/// folder, that folder itself, or another output; names both options.
void check_files(const CLI::App& command);

}  // namespace detent::cli
