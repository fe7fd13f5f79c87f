#include "ops/use_instruction_set.h"

#include "ops/simd/limit_of.h"

namespace detent {

void use_instruction_set(const std::string& name) {
  if (const auto limit = limit_of(name)) limit_vectors(*limit);
}

}  // namespace detent
