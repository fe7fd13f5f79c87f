#pragma once

namespace detent {

/// Instruction sets that loops over raw numbers can be limited to.
enum class VectorLimit { Avx2, Avx512 };

/// True when this CPU has the whole instruction set.
[[nodiscard]] bool cpu_has(VectorLimit limit);

/// Limits all loops of the process to this instruction set. Call it before other threads run any.
void limit_vectors(VectorLimit limit);

}  // namespace detent
