#pragma once

namespace detent {

/// Peak resident memory of this process in MB (10^6 bytes); 0 where the system does not tell.
[[nodiscard]] double peak_memory_mb();

}  // namespace detent
