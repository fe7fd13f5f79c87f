#pragma once

namespace detent {

/// Instruction sets that the loops over raw numbers can be held to.
enum class VectorLimit { Avx2, Avx512 };

/// True when this CPU has all of it.
[[nodiscard]] bool cpu_has(VectorLimit limit);

/// From now on no loop of the process uses anything wider or newer; called before other threads run any.
void limit_vectors(VectorLimit limit);

}  // namespace detent
