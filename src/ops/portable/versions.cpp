#include "ops/versions.h"

#include <Eigen/Core>

#include "ops/simd/vector_limit.h"

namespace detent {

std::string instruction_set() { return vector_set(); }

std::string kernel_library_versions() {
  return "Highway (" + instruction_set() + "), Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
         std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
}

}  // namespace detent
