#include "rewrite/check_content.h"

#include <algorithm>
#include <cmath>

#include "core/files/mapped_file.h"
#include "core/index.h"
#include "core/same_tensor.h"
#include "detent/base/qparams.h"

namespace detent {

namespace {

/// True for the ends of 8-bit and 7-bit codes, or of UINT8.
bool ends_range(double code, DataType type) {
  switch (type) {
    case DataType::Int8: return code <= -127 || code >= 127 || std::abs(code) == 63 || std::abs(code) == 64;
    case DataType::UInt8: return code == 0 || code == 255;
    default: return false;
  }
}

/// True when an FP8 code stands for the number: at most half the distance to the next code away, also beyond the
/// largest one.
bool stands_for(double number, double code, double scale) {
  constexpr double kHalfStep = 0.5 + 1e-3, kLeastStep = 0x1p-9;
  constexpr int kMantissaBits = 3;
  if (!std::isfinite(code)) return false;
  const double step = code == 0 ? kLeastStep : std::max(std::ldexp(1.0, std::ilogb(code) - kMantissaBits), kLeastStep);
  return std::abs(number / scale - code) <= kHalfStep * step;
}

bool stands_for(double number, double code, double zero_point, double scale, DataType type) {
  constexpr double kHalfStep = 0.5 + 1e-3, kBeyond = 2.1;
  constexpr double kQuotient = 0x1p-23;  // QuantizeLinear divides in FP32, which codes of 16 and 32 bits show
  const double value = (code - zero_point) * scale;
  if (std::abs(number - value) <= (kHalfStep + kQuotient * std::abs(code - zero_point)) * scale) return true;
  return ends_range(code, type) && number / value > 1 && number / value <= kBeyond;
}

std::string tell(double number, double value, double scale, int64_t element) {
  return "holds " + std::to_string(value) + " at element " + std::to_string(element) + " where the model has " +
         std::to_string(number) + ", more than half a step of " + std::to_string(scale) + " away";
}

}  // namespace

std::string content_flaw(const Tensor& original, const Tensor& written) {
  const bool same = same_tensor(original, written);
  for (const Tensor* tensor : {&original, &written}) let_go_of_pages(tensor->raw(), tensor->byte_count());
  return same ? "" : "holds other numbers than the model's";
}

std::string content_flaw(const Tensor& original, const Tensor& written, const WrittenGrid& grid, bool mask) {
  if (written.type() == original.type()) return content_flaw(original, written);
  if (!grid.scale || !grid.zero_point || grid.scale->shape() != grid.zero_point->shape())
    return "";  // reported elsewhere
  const DataType type = written.type();
  const bool floats = type == DataType::Float8E4M3FN;
  const Tensor numbers = cast(original, DataType::Float32),
               codes = cast(written, floats ? DataType::Float32 : DataType::Int32),
               scales = cast(*grid.scale, DataType::Float32), points = cast(*grid.zero_point, DataType::Int32);
  const Shape& shape = original.shape();
  const int64_t channels = scales.element_count();
  const int64_t axis = grid.axis < 0 ? grid.axis + static_cast<int64_t>(shape.rank()) : grid.axis;
  if (channels != 1 && (axis < 0 || axis >= static_cast<int64_t>(shape.rank()) || shape[as_index(axis)] != channels))
    return "";  // reported elsewhere
  int64_t inner = shape.element_count();
  if (channels != 1) inner = shape.element_count(static_cast<size_t>(axis) + 1, shape.rank());
  const std::span<const float> number_of = numbers.data<float>(), scale_of = scales.data<float>();
  const auto code_of = [&](size_t i) { return floats ? double{codes.data<float>()[i]} : codes.data<int32_t>()[i]; };
  const std::span<const int32_t> point_of = points.data<int32_t>();
  const auto is_cut = [&](float number, double code, int32_t point, double scale) {
    return mask && !floats && code == code_range(type).lowest && number <= (code - point) * scale;
  };
  for (size_t first = 0, row = 0; first < number_of.size(); first += static_cast<size_t>(inner), ++row) {
    const size_t channel = row % static_cast<size_t>(channels);
    const double scale = scale_of[channel];
    const int32_t point = point_of[channel];
    for (size_t i = first; i < first + static_cast<size_t>(inner); ++i)
      if (floats ? !stands_for(number_of[i], code_of(i), scale)
                 : !stands_for(number_of[i], code_of(i), point, scale, type) &&
                       !is_cut(number_of[i], code_of(i), point, scale))
        return tell(number_of[i], (code_of(i) - point) * scale, scale, static_cast<int64_t>(i));
  }
  let_go_of_pages(original.raw(), original.byte_count());
  return "";
}

}  // namespace detent
