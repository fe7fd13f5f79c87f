#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace detent {

// Temporary files that a process leaves when it is killed with -9. A living writer holds a lock on its own, which goes
// with the process. In containers process numbers come again and again, so names have none.

/// ".NAME.BOOT-RANDOM.tmp", BOOT from the running kernel's boot id: locks of processes under the same kernel are seen
/// here.
[[nodiscard]] std::string temporary_name(const std::string& name, uint32_t random);

/// Locks a new temporary file until its descriptor is closed. False when another process has taken it for a dead one's.
/// True also on file systems without locks.
[[nodiscard]] bool claim_temporary(int descriptor);

/// Removes what dead writers of `target` left beside it: files of this boot that nobody has locked, and those of other
/// machines or boots, whose locks may not be seen here, once nothing was written to them for an hour. Never fails.
void remove_dead_temporaries(const std::filesystem::path& target);

}  // namespace detent
