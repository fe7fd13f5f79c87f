#pragma once

#include <cstddef>
#include <optional>

namespace detent {

/// Seconds that the rest of `total` steps takes at the average speed of the `done` ones, which took `seconds`.
///
/// nullopt until enough work was done to tell: 1 second and a twentieth of the steps, or 10 seconds and one step. The
/// first steps are not like the others (memory is touched for the first time, kernels are made): a job of two seconds
/// looked like one of 51. Nothing is left of a task that is done, and nothing is known of one whose total is 0.
[[nodiscard]] std::optional<double> seconds_left(double seconds, size_t done, size_t total);

}  // namespace detent
