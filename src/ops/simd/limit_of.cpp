#include "ops/simd/limit_of.h"

#include "detent/base/error.h"

namespace detent {

std::optional<VectorLimit> limit_of(const std::string& name) {
  if (name == "native") return std::nullopt;
  if (name != "avx2" && name != "avx512")
    throw Error(ErrorCode::Usage, "instruction set '" + name + "': avx2, avx512 or native is wanted");
  const bool avx2 = name == "avx2";
  const VectorLimit limit = avx2 ? VectorLimit::Avx2 : VectorLimit::Avx512;
  if (!cpu_has(limit))
    throw Error(ErrorCode::InvalidOption, "--isa " + name + ": this CPU has no " + name,
                avx2 ? "" : "--isa avx2 gives the same bits on older machines too");
  return limit;
}

}  // namespace detent
