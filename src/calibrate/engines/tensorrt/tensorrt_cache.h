#pragma once

#include <map>
#include <string>
#include <string_view>

namespace detent {

/// A TensorRT calibration cache: the scales of implicit quantization, as text.
///
///     TRT-8601-EntropyCalibration2
///     input: 3c010a14
///
/// After the first line `name: hhhhhhhh`, the hexadecimal digits of the scale's 32 bits, most significant first. Names
/// may hold any text, also ": ".
/// Source  NvInfer.h, IInt8Calibrator::writeCalibrationCache; TensorRT samples, sampleINT8.
struct TensorRtCache {
  std::string version_line;
  std::map<std::string, float> scales;
};

/// Parses the text; empty lines and carriage returns are ignored.
/// Errors  InvalidData naming the line: no version, no scale, a scale that is negative or not finite, a name that comes
///         twice with different scales.
[[nodiscard]] TensorRtCache parse_tensorrt_cache(std::string_view text);
/// Formats the cache, sorted by name. parse_tensorrt_cache() reads it back to the bit.
[[nodiscard]] std::string format_tensorrt_cache(const TensorRtCache& cache);

}  // namespace detent
