#pragma once

#include <cstddef>
#include <stop_token>

#include "detent/base/progress.h"

namespace detent {

/// How products of UINT8 activations and INT8 weights are summed.
enum class CpuProducts {
  Exact,  ///< in 32 bits, as CPUs with VNNI do
  /// As ONNX Runtime does on x86 CPUs with AVX2 or AVX-512 and without VNNI: two neighbouring products are added in 16
  /// bits, with saturation, and outputs are rounded as its integer kernels round them.
  Avx2
};

/// How work over many samples runs. Results depend on `products` alone.
struct RunSettings {
  size_t threads = 0;          ///< 0: all cores
  bool skip_bad_data = false;  ///< count and skip unreadable samples instead of stopping
  CpuProducts products = CpuProducts::Exact;
  Reporter* reporter = &Reporter::silent();
  /// Asked to stop, it ends this call alone, within about a second, with ErrorCode::Interrupted; calls of other threads
  /// go on.
  std::stop_token stop = {};
};

}  // namespace detent
