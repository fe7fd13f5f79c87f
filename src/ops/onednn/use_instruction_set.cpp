#include "ops/use_instruction_set.h"

#include <dnnl.hpp>
#include <mutex>

#include "detent/base/error.h"
#include "ops/simd/limit_of.h"
#include "ops/versions.h"

namespace detent {

void use_instruction_set(const std::string& name) {
  const auto limit = limit_of(name);
  if (!limit) return;
  const dnnl::cpu_isa isa = limit == VectorLimit::Avx2 ? dnnl::cpu_isa::avx2 : dnnl::cpu_isa::avx512_core;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  // oneDNN can be limited until it is first asked or used.
  if (dnnl::set_max_cpu_isa(isa) != dnnl::status::success && dnnl::get_effective_cpu_isa() != isa)
    throw Error(ErrorCode::Internal, "kernels for " + instruction_set() + " are in use: it is too late for " + name);
  limit_vectors(*limit);
}

}  // namespace detent
