#pragma once

#include <string>

namespace detent {

/// Returns the libraries under the kernels, with the instruction set in use: "oneDNN 2.6.0 (avx512_core_bf16), Eigen
/// 3.4.0".
[[nodiscard]] std::string kernel_library_versions();

/// Returns the instruction set that kernels are chosen for on this CPU, as oneDNN names it: "avx2", "avx512_core" ...
[[nodiscard]] std::string instruction_set();

}  // namespace detent
