#pragma once

#include <span>

#include "place/targets/target.h"

namespace detent {

/// One function per engine: its versions, the default first.
[[nodiscard]] std::span<const Target> tensorrt_targets();
[[nodiscard]] std::span<const Target> onnxruntime_targets();

}  // namespace detent
