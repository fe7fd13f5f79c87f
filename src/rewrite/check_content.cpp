#include "rewrite/check_content.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace detent {

namespace {

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.byte_count()) == 0;
}

/// The ends of 8-bit codes and of 7-bit ones, that of INT32.
bool ends_range(int32_t code, DataType type) {
  switch (type) {
    case DataType::Int8: return code <= -127 || code >= 127 || std::abs(code) == 63 || std::abs(code) == 64;
    case DataType::UInt8: return code == 0 || code == 255;
    default: return false;
  }
}

bool stands_for(double number, int32_t code, double zero_point, double scale, DataType type) {
  constexpr double kHalfStep = 0.5 + 1e-3, kBeyond = 2.1;
  const double value = (code - zero_point) * scale;
  if (std::abs(number - value) <= kHalfStep * scale) return true;
  return ends_range(code, type) && number / value > 1 && number / value <= kBeyond;
}

std::string tell(double number, double value, double scale, int64_t element) {
  return "holds " + std::to_string(value) + " at element " + std::to_string(element) + " where the model has " +
         std::to_string(number) + ", more than half a step of " + std::to_string(scale) + " away";
}

}  // namespace

std::string content_flaw(const Tensor& original, const Tensor& written) {
  return same_bytes(original, written) ? "" : "holds other numbers than the model's";
}

std::string content_flaw(const Tensor& original, const Tensor& written, const WrittenGrid& grid) {
  if (written.type() == original.type()) return content_flaw(original, written);
  if (!grid.scale || !grid.zero_point || grid.scale->shape() != grid.zero_point->shape()) return "";  // said elsewhere
  const Tensor numbers = cast(original, DataType::Float32), codes = cast(written, DataType::Int32),
               scales = cast(*grid.scale, DataType::Float32), points = cast(*grid.zero_point, DataType::Int32);
  const Shape& shape = original.shape();
  const int64_t channels = scales.element_count();
  const int64_t axis = grid.axis < 0 ? grid.axis + static_cast<int64_t>(shape.rank()) : grid.axis;
  if (channels != 1 &&
      (axis < 0 || axis >= static_cast<int64_t>(shape.rank()) || shape[static_cast<size_t>(axis)] != channels))
    return "";  // said elsewhere
  int64_t inner = 1;
  if (channels != 1)
    for (size_t i = static_cast<size_t>(axis) + 1; i < shape.rank(); ++i) inner *= shape[i];
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const auto element = static_cast<size_t>(i), channel = static_cast<size_t>(i / inner % channels);
    const double number = numbers.data<float>()[element], scale = scales.data<float>()[channel];
    const int32_t code = codes.data<int32_t>()[element], point = points.data<int32_t>()[channel];
    if (!stands_for(number, code, point, scale, written.type())) return tell(number, (code - point) * scale, scale, i);
  }
  return "";
}

}  // namespace detent
