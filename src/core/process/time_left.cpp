#include "core/process/time_left.h"

namespace detent {

std::optional<double> seconds_left(double seconds, size_t done, size_t total) {
  constexpr double kShortest = 1, kPatience = 10;
  constexpr size_t kPart = 20;
  if (done == 0 || done >= total) return std::nullopt;
  const bool enough = seconds >= kShortest && done * kPart >= total;
  if (!enough && seconds < kPatience) return std::nullopt;
  return seconds * static_cast<double>(total - done) / static_cast<double>(done);
}

}  // namespace detent
