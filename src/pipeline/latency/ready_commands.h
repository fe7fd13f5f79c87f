#pragma once

#include <span>
#include <string_view>

namespace detent {

/// A command of scripts/latency, which is part of the program.
struct ReadyCommand {
  std::string_view name;  ///< "onnxruntime"
  std::string_view text;  ///< of an executable script
};

/// Returns the ready commands in alphabetical order.
[[nodiscard]] std::span<const ReadyCommand> ready_commands();

}  // namespace detent
