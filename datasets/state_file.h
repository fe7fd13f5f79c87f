#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace detent {

/// First value of an input that an output feeds from step to step.
enum class StateStart : uint8_t {
  Zeros,  ///< all extents declared, except that of the batch
  Empty,  ///< length 0 in the open axis, as a cache before the first token
  Data    ///< an array of the data: each sample brings its own
};

/// The content of --state FILE.json: what goes from one step to the next, and how samples are cut into steps.
///
///     {"feeds": {"keys": "past_keys", "values": "past_values"},       output: the input that it feeds
///      "cut":   {"ids": 1,                                            input: the axis that counts steps
///                "frames": {"axis": 1, "length": 160},                160 positions a step
///                "attention_mask": {"axis": 1, "from": "start"}},     all positions up to the step's last
///      "start": {"past_keys": "empty"}}                               input: "zeros", "empty" or "data"
///
/// "feeds" is required.
struct StateFile {
  struct Cut {
    int64_t axis = 0;
    std::optional<int64_t> length = {};  ///< positions of a step, at least 1; absent: what the input fixes, else 1
    bool from_start = false;
  };
  std::vector<std::pair<std::string, std::string>> feeds;  ///< output, input; no input twice
  std::map<std::string, Cut> cuts;                         ///< by input
  std::map<std::string, StateStart> starts;                ///< by input
};

/// Errors  those of read_json_object; InvalidOption, beginning with the path, for other keys or values, for an input
///         that is fed twice, and for one that is both fed and cut.
[[nodiscard]] StateFile read_state_file(const std::filesystem::path& file);

}  // namespace detent
