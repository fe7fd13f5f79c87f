#pragma once

#include <string>
#include <string_view>

#include "place/engines/target.h"

namespace detent::tensorrt {

/// Returns the first line of a calibration cache, "TRT-8600-EntropyCalibration2": NV_TENSORRT_VERSION of the target,
/// which counts by 1000 up to version 9 and by 10000 since, and the calibrator, whose caches TensorRT distinguishes.
[[nodiscard]] std::string cache_version(const Target& target, std::string_view calibrator);

/// Returns the call of trtexec that builds the file. Strongly typed versions have no flags for types.
[[nodiscard]] std::string next_command(const Target& target, const NextCommand& next);

}  // namespace detent::tensorrt
