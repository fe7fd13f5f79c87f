#pragma once

#include <span>

#include "place/targets/target.h"

namespace detent {

/// Returns the versions of an engine, the default first.
[[nodiscard]] std::span<const Target> tensorrt_targets();
[[nodiscard]] std::span<const Target> onnxruntime_targets();
[[nodiscard]] std::span<const Target> openvino_targets();
[[nodiscard]] std::span<const Target> qnn_targets();

}  // namespace detent
