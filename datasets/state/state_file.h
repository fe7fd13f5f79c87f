#pragma once

#include <filesystem>

#include "datasets/state/state.h"

namespace detent {

/// Reads --state FILE.json, or the "loop" of a pipeline (pipeline_file.h).
/// Errors  those of read_json_object; InvalidOption, beginning with the path, for other keys or values, for an input
///         that is fed twice, and for one that is both fed and cut.
[[nodiscard]] StateFile read_state_file(const std::filesystem::path& file);

}  // namespace detent
