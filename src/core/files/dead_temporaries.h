#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace detent {

// Temporary files that a process leaves when it is killed with -9. A living writer holds a lock on its file, which ends
// with the process. Names do not contain process numbers, because containers reuse them.

/// Returns ".NAME.BOOT-RANDOM.tmp" with BOOT from the running kernel's boot id: locks under the same kernel are visible
/// here.
[[nodiscard]] std::string temporary_name(const std::string& name, uint32_t random);

/// Locks a new temporary file until its descriptor is closed. Returns false when another process removed it as left
/// over; true also on file systems without locks.
[[nodiscard]] bool claim_temporary(int descriptor);

/// Removes the temporary files that dead writers of `target` left beside it: unlocked files of this boot, and files of
/// other machines or boots, whose locks may be invisible here, if they were not written for an hour. Never fails.
void remove_dead_temporaries(const std::filesystem::path& target);

/// Removes those of this boot in a folder of outputs, whatever they are of. Never fails.
void remove_dead_temporaries_in(const std::filesystem::path& folder);

/// Returns eight hexadecimal digits that differ after every start of the kernel and are equal in all its containers;
/// names of temporary files and folders hold them.
[[nodiscard]] const std::string& boot_digits();

}  // namespace detent
