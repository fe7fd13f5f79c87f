#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace detent::cli {

/// The program as CLI11 sees it: every command with its options. `detent` parses with it; the manual and the completions are made of it.
struct Program {
  CLI::App app{"Detent: post-training quantization of ONNX models", "detent"};
  bool quiet = false, print_config = false;
  std::string command;                                ///< as it was typed, for pages
  std::vector<std::pair<CLI::App*, Action>> actions;  ///< one a command
};

/// Fills a fresh `program`.
void declare(Program& program);

}  // namespace detent::cli
