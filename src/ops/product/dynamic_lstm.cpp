#include "ops/product/dynamic_lstm.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/index.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr float kLastCode = 255;

void expect_numbers(const Tensor& numbers, const char* name, int64_t directions, int64_t columns) {
  const bool fits = numbers.shape() == Shape{directions} || numbers.shape() == Shape{directions, columns};
  if (fits) return;
  throw Error(ErrorCode::InvalidData, std::string(name) + " of shape " + numbers.shape().to_string() +
                                          ", expected one number for each direction, or for each column of codes");
}

}  // namespace

void round_at_run_time(std::span<float> numbers) {
  float low = 0, high = 0;
  for (const float x : numbers) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (!(high > low)) return;
  const float scale = (high - low) / kLastCode;
  const float shift = -low / scale;  // NaN where the numbers reach to -infinity
  const float zero = std::isnan(shift) ? 0.0F : std::nearbyint(std::clamp(shift, 0.0F, kLastCode));
  for (float& x : numbers) x = (std::clamp(std::nearbyint(x / scale) + zero, 0.0F, kLastCode) - zero) * scale;
}

Tensor lstm_weights(const Tensor& codes, const Tensor& scales, const Tensor& zero_points) {
  if (codes.shape().rank() != 3 || (codes.type() != DataType::Int8 && codes.type() != DataType::UInt8))
    throw Error(ErrorCode::InvalidData, "weights of type " + std::string(name_of(codes.type())) + " and shape " +
                                            codes.shape().to_string() + ", expected 8-bit codes with three axes");
  const int64_t directions = codes.shape()[0], inner = codes.shape()[1], columns = codes.shape()[2];
  expect_numbers(scales, "scales", directions, columns);
  expect_numbers(zero_points, "zero points", directions, columns);
  const Tensor numbers = cast(codes, DataType::Float32), points = cast(zero_points, DataType::Float32);
  const auto from = numbers.data<float>(), factors = scales.data<float>(), zeros = points.data<float>();
  const bool one_scale = scales.shape().rank() == 1, one_point = points.shape().rank() == 1;
  Tensor weights(DataType::Float32, Shape{directions, columns, inner});
  float* to = weights.mutable_data<float>().data();
  for (int64_t d = 0; d < directions; ++d)
    for (int64_t c = 0; c < columns; ++c) {
      const float scale = factors[as_index(one_scale ? d : d * columns + c)];
      const float zero = zeros[as_index(one_point ? d : d * columns + c)];
      for (int64_t i = 0; i < inner; ++i) *to++ = (from[as_index((d * inner + i) * columns + c)] - zero) * scale;
    }
  return weights;
}

}  // namespace detent
