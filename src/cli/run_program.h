#pragma once

namespace detent::cli {

/// Runs `detent` and returns its exit code.
int run_program(int argc, char** argv);

}  // namespace detent::cli
