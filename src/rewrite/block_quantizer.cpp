#include "rewrite/block_quantizer.h"

#include <Eigen/Core>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "core/packed_elements.h"
#include "detent/base/qparams.h"

namespace detent {

namespace {

using Block = Eigen::ArrayXf;

/// Finds the scales of blocks.
class BlockSearch {
 public:
  BlockSearch(CodeRange codes, DataType scales) : codes_(codes), scales_(scales) {}

  /// importance  of each weight, not all 0
  float find(const Block& weights, const Block& importance) {
    const float amax = weights.size() == 0 ? 0.0F : weights.abs().maxCoeff();
    const float widest = amax / static_cast<float>(codes_.highest);
    if (scale_in(scales_, widest) == 0) return 1.0F;
    best_error_ = std::numeric_limits<float>::infinity();
    constexpr int kSteps = 64;
    for (int step = 0; step <= kSteps; ++step)
      consider(weights, importance, widest * (1 - 0.5F * static_cast<float>(step) / static_cast<float>(kSteps)));
    for (int again = 0; again < kFits; ++again) {
      const float squares = (importance * best_codes_.square()).sum();
      if (squares <= 0 || !consider(weights, importance, (importance * best_codes_ * weights).sum() / squares)) break;
    }
    return best_;
  }

 private:
  static constexpr int kFits = 8;

  /// Tries a scale; returns true when it is better than the best so far.
  bool consider(const Block& weights, const Block& importance, float wanted) {
    const float scale = scale_in(scales_, wanted);
    if (scale == 0) return false;
    // Adding and subtracting 1.5 * 2^23 rounds half to even while |x| < 2^22; quotients here stay below 2 * 128.
    constexpr float kRound = 0x1.8p23F;
    tried_ = (weights / scale + kRound) - kRound;
    tried_ = tried_.max(static_cast<float>(codes_.lowest)).min(static_cast<float>(codes_.highest));
    const float error = (importance * (tried_ * scale - weights).square()).sum();
    if (!(error < best_error_)) return false;
    best_error_ = error;
    best_ = scale;
    best_codes_.swap(tried_);
    return true;
  }

  CodeRange codes_;
  DataType scales_;
  Block tried_, best_codes_;
  float best_ = 1, best_error_ = 0;
};

Shape scales_shape(const Shape& weight, const BlockFormat& format) {
  if (format.block == 0) return {weight[1]};
  const int64_t size = rows_in_block(format, weight[0]);
  return {weight[0] / size + (weight[0] % size != 0), weight[1]};
}

/// Calls block(first row, rows) for each block of rows.
template <class Each>
void for_each_block(int64_t rows, int64_t size, Each&& each) {
  for (int64_t first = 0; first < rows; first += size) each(first, std::min(size, rows - first));
}

Tensor finite_matrix(const Tensor& weight) {
  if (weight.shape().rank() != 2)
    throw Error(ErrorCode::Internal, "a weight of shape " + weight.shape().to_string() + " has no blocks of rows");
  Tensor values = cast(weight, DataType::Float32);
  if (!std::ranges::all_of(values.data<float>(), [](float w) { return std::isfinite(w); }))
    throw Error(ErrorCode::InvalidModel, "the weight holds NaN or Inf");
  return values;
}

Block importance_of(std::span<const float> importance, int64_t first, int64_t count) {
  if (importance.empty()) return Block::Ones(count);
  Block block = Eigen::Map<const Block>(importance.data() + first, count);
  const float mean = block.mean();
  return mean > 0 && std::isfinite(mean) ? Block(block / mean) : Block(Block::Ones(count));
}

}  // namespace

float scale_in(DataType scales, float wanted) {
  float scale = wanted;
  if (scales == DataType::Float16) scale = half_to_float(float_to_half(wanted));
  if (scales == DataType::BFloat16) scale = bfloat16_to_float(float_to_bfloat16(wanted));
  return scale >= FLT_MIN && std::isfinite(scale) ? scale : 0.0F;
}

int64_t rows_in_block(const BlockFormat& format, int64_t rows) {
  if (format.block == 0) return std::max<int64_t>(rows, 1);
  if (!format.divides || rows % format.block == 0) return format.block;
  const int64_t step = format.codes == DataType::Int4 ? 2 : 1;
  for (int64_t size = format.block; size >= format.block / 4; --size)
    if (size % step == 0 && rows % size == 0) return size;
  return rows;
}

BlockedWeight quantize_blocks(const Tensor& weight, const BlockFormat& format, std::span<const float> importance) {
  const Tensor values = finite_matrix(weight);
  const int64_t rows = weight.shape()[0], columns = weight.shape()[1];
  Tensor scales(DataType::Float32, scales_shape(weight.shape(), format));
  std::ranges::fill(scales.mutable_data<float>(), 1.0F);
  float* scale_of = scales.mutable_data<float>().data();
  BlockSearch search(code_range(format.codes), format.scales);
  for_each_block(rows, rows_in_block(format, rows), [&](int64_t first, int64_t count) {
    // The columns of a row-major piece.
    const Eigen::Map<const Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> piece(
        values.data<float>().data() + first * columns, count, columns);
    const Block counts = importance_of(importance, first, count);
    for (int64_t n = 0; n < columns; ++n) *scale_of++ = search.find(piece.col(n), counts);
  });
  return with_scales(weight, format, cast(scales, format.scales));
}

BlockedWeight with_scales(const Tensor& weight, const BlockFormat& format, Tensor scales) {
  const Tensor values = finite_matrix(weight), wide = cast(scales, DataType::Float32);
  const auto data = values.data<float>(), scale_of = wide.data<float>();
  const int64_t rows = weight.shape()[0], columns = weight.shape()[1], size = rows_in_block(format, rows);
  const CodeRange codes = code_range(format.codes);
  BlockedWeight result{Tensor(format.codes, weight.shape()), std::move(scales)};
  auto* out = static_cast<int8_t*>(result.codes.mutable_raw());
  for (int64_t k = 0; k < rows; ++k)
    for (int64_t n = 0; n < columns; ++n) {
      const auto i = static_cast<size_t>(k * columns + n);
      out[i] = static_cast<int8_t>(
          quantize_element(data[i], scale_of[static_cast<size_t>(k / size * columns + n)], 0, codes));
    }
  return result;
}

Tensor dequantize_blocks(const BlockedWeight& weight, const BlockFormat& format) {
  const int64_t rows = weight.codes.shape()[0], columns = weight.codes.shape()[1];
  const int64_t size = rows_in_block(format, rows);
  Tensor result(DataType::Float32, weight.codes.shape());
  float* out = result.mutable_data<float>().data();
  const int8_t* code = weight.codes.data<int8_t>().data();
  const Tensor scales = cast(weight.scales, DataType::Float32);
  const float* scale = scales.data<float>().data();
  for (int64_t k = 0; k < rows; ++k)
    for (int64_t n = 0; n < columns; ++n) *out++ = static_cast<float>(*code++) * scale[k / size * columns + n];
  return result;
}

BlockedWeight with_codes(const BlockedWeight& weight, std::span<const int32_t> codes) {
  BlockedWeight result{Tensor(weight.codes.type(), weight.codes.shape()), weight.scales};
  std::ranges::transform(codes, static_cast<int8_t*>(result.codes.mutable_raw()),
                         [](int32_t code) { return static_cast<int8_t>(code); });
  return result;
}

size_t stored_bytes(const BlockedWeight& weight) {
  const int64_t count = weight.codes.element_count();
  const size_t codes =
      is_packed(weight.codes.type()) ? stored_bytes(weight.codes.type(), count) : weight.codes.byte_count();
  return codes + weight.scales.byte_count();
}

}  // namespace detent
