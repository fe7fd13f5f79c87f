#pragma once

#include <string>

namespace detent {

/// Instruction sets that loops over raw numbers can be limited to.
enum class VectorLimit { Avx2, Avx512 };

/// True when this CPU has the whole instruction set.
[[nodiscard]] bool cpu_has(VectorLimit limit);

/// Limits all loops of the process to this instruction set. Call it before other threads run any.
void limit_vectors(VectorLimit limit);

/// Returns Highway's name of the best instruction set that loops may use, in small letters: "neon", "avx2", "avx3".
[[nodiscard]] std::string vector_set();

}  // namespace detent
