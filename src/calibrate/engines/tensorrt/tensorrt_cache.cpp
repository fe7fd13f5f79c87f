#include "calibrate/engines/tensorrt/tensorrt_cache.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/parse.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr std::string_view kStart = "TRT-";
constexpr size_t kDigits = 8;

Error malformed(size_t line, const std::string& what) {
  return {ErrorCode::InvalidData, "line " + std::to_string(line) + ": " + what,
          "a cache is a line TRT-<version>-EntropyCalibration2, then lines NAME: 8 hexadecimal digits"};
}

float parse_scale(std::string_view digits, size_t line) {
  std::string_view rest = digits;
  const auto bits = take_number<uint32_t>(rest, 16);
  if (digits.size() != kDigits || !bits || !rest.empty())
    throw malformed(line, "'" + std::string(digits) + "' is not a scale of 8 hexadecimal digits");
  const auto scale = std::bit_cast<float>(*bits);
  if (!std::isfinite(scale) || scale < 0)
    throw malformed(line, "the scale " + std::string(digits) + " is not a finite positive number");
  return scale;
}

}  // namespace

TensorRtCache parse_tensorrt_cache(std::string_view text) {
  TensorRtCache cache;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (cache.version_line.empty()) {
      if (!line.starts_with(kStart)) throw malformed(number, "the file is not a TensorRT calibration cache");
      cache.version_line = line;
      continue;
    }
    const size_t colon = line.rfind(": ");
    if (colon == std::string_view::npos || colon == 0) throw malformed(number, "there is no 'NAME: SCALE'");
    const std::string name(line.substr(0, colon));
    const float scale = parse_scale(line.substr(colon + 2), number);
    const auto [known, is_new] = cache.scales.emplace(name, scale);
    if (!is_new && known->second != scale) throw malformed(number, "'" + name + "' has another scale in a line before");
  }
  if (cache.version_line.empty())
    throw Error(ErrorCode::InvalidData, "the file is empty, not a TensorRT calibration cache");
  return cache;
}

std::string format_tensorrt_cache(const TensorRtCache& cache) {
  std::string text = cache.version_line + "\n";
  for (const auto& [name, scale] : cache.scales)
    text += name + ": " + fmt::format("{:08x}", std::bit_cast<uint32_t>(scale)) + "\n";
  return text;
}

}  // namespace detent
