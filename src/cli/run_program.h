#pragma once

namespace detent::cli {

/// Runs the command line and returns the exit code. Errors are printed to stderr. Called once in a process: it watches signals.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace detent::cli
