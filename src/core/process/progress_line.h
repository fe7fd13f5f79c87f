#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace detent {

/// Returns the columns of the terminal behind a file descriptor; 80 when unknown.
[[nodiscard]] size_t terminal_columns(int descriptor);

/// Returns the beginning of a line that takes at most `columns` columns, each UTF-8 character counted as one; a cut
/// line ends in "...". The last column stays free: some terminals wrap when it is filled.
[[nodiscard]] std::string cut_to_columns(std::string_view line, size_t columns);

/// Returns the seconds that the rest of `total` steps takes at the average speed of the `done` ones, which took
/// `seconds`. nullopt when all steps are done, when `total` is 0, and until 1 second and a twentieth of the steps, or
/// 10 seconds and one step, are done: first steps are slower (page faults, new kernels).
[[nodiscard]] std::optional<double> seconds_left(double seconds, size_t done, size_t total);

}  // namespace detent
