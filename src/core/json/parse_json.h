#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

namespace detent {

/// Largest file that is read as JSON. Profiles and layers of TensorRT take tens of MB.
constexpr uint64_t kMostJsonBytes = 256'000'000;

/// The meaning of a name that one object holds twice.
enum class RepeatedNames : uint8_t {
  LastCounts,
  Refused  ///< in files that users write by hand
};

/// Parses a document. Every JSON that Detent reads comes through here, so that its bounds and words are the same.
/// first_line  the number of the text's first line in its file
/// Errors  InvalidData with line and column, in our own words: not JSON, a number beyond a double's range, brackets
///         nested deeper than 100, a repeated name if it is refused. InvalidData for a text of more than
///         kMostJsonBytes, and for a document that would take more than 512 MB of memory, or more than --max-memory.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, RepeatedNames repeated = RepeatedNames::LastCounts,
                                        size_t first_line = 1);

/// Parses an object that holds a long list under a name. Hands each element of the list to `take`, in order, and leaves
/// it out of the result, so that memory holds one element at a time.
/// Errors  as above, and those of `take`.
[[nodiscard]] nlohmann::json parse_json_list(std::string_view text, std::string_view name,
                                             const std::function<void(const nlohmann::json&)>& take);

/// Reads a file that holds one document.
/// Errors  InvalidData that begins with the path: those of parse_json(), and a file that cannot be read.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& file,
                                       RepeatedNames repeated = RepeatedNames::LastCounts);

}  // namespace detent
