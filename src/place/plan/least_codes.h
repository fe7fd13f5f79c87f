#pragma once

#include <cstdint>

namespace detent {

/// The fewest numbers of a constant that becomes codes only to take less room: 4 kB of floats. The nodes of a smaller
/// one take a tenth of the saving.
inline constexpr int64_t kLeastCodes = 1024;

}  // namespace detent
