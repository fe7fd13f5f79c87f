#include "ops/onednn/use_instruction_set.h"

#include <dnnl.hpp>
#include <mutex>

#include "detent/base/error.h"
#include "ops/simd/vector_limit.h"
#include "ops/versions.h"

namespace detent {

void use_instruction_set(const std::string& name) {
  if (name == "native") return;
  if (name != "avx2" && name != "avx512")
    throw Error(ErrorCode::Usage, "instruction set '" + name + "': avx2, avx512 or native is wanted");
  const bool avx2 = name == "avx2";
  const VectorLimit limit = avx2 ? VectorLimit::Avx2 : VectorLimit::Avx512;
  if (!cpu_has(limit))
    throw Error(ErrorCode::InvalidOption, "--isa " + name + ": this CPU has no " + name,
                avx2 ? "" : "--isa avx2 gives the same bits on older machines too");
  const dnnl::cpu_isa isa = avx2 ? dnnl::cpu_isa::avx2 : dnnl::cpu_isa::avx512_core;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  // oneDNN can be limited until it is first asked or used.
  if (dnnl::set_max_cpu_isa(isa) != dnnl::status::success && dnnl::get_effective_cpu_isa() != isa)
    throw Error(ErrorCode::Internal, "kernels for " + instruction_set() + " are in use: it is too late for " + name);
  limit_vectors(limit);
}

}  // namespace detent
