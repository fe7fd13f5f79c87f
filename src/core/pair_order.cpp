#include "core/pair_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/index.h"
#include "detent/base/error.h"
#include "detent/base/qparams.h"

namespace detent {

namespace {

bool is_safe_at(float a, float b, float scale) {
  constexpr CodeRange kCodes{-128, 127};
  return is_safe_pair(quantize_element(a, scale, 0, kCodes), quantize_element(b, scale, 0, kCodes));
}

/// Returns the least float from `unsafe` on at which the pair is safe. Positive floats have the order of their bits.
float raise(float a, float b, float unsafe) {
  // |a| + |b| are 126 steps of this scale, and rounding adds one at most.
  const float safe = std::max(std::abs(a) / 126.0F + std::abs(b) / 126.0F, unsafe);
  auto low = std::bit_cast<uint32_t>(unsafe), high = std::bit_cast<uint32_t>(safe);
  while (low + 1 < high) {
    const uint32_t middle = low + (high - low) / 2;
    (is_safe_at(a, b, std::bit_cast<float>(middle)) ? high : low) = middle;
  }
  return std::bit_cast<float>(high);
}

void pad_to_even(std::vector<int64_t>& offsets) {
  if (offsets.size() % 2 != 0) offsets.push_back(-1);
}

/// Returns offsets within one output, in the order of the products.
std::vector<int64_t> convolution_offsets(const Shape& shape, bool taps_apart) {
  const int64_t channels = shape[1], taps = shape.element_count(2, shape.rank());
  std::vector<int64_t> offsets;
  for (int64_t tap = 0; tap < taps; ++tap) {
    for (int64_t channel = 0; channel < channels; ++channel) offsets.push_back(channel * taps + tap);
    if (taps_apart) pad_to_even(offsets);
  }
  pad_to_even(offsets);
  return offsets;
}

std::vector<int64_t> deconvolution_offsets(const Shape& shape) {
  const int64_t places = shape.element_count(2, shape.rank());
  std::vector<int64_t> offsets;
  for (int64_t place = 0; place < places; ++place) {
    for (int64_t channel = 0; channel < shape[0]; ++channel) offsets.push_back(channel * shape[1] * places + place);
    pad_to_even(offsets);
  }
  return offsets;
}

/// Returns the offsets of one matrix after the other; each begins with a new pair.
std::vector<int64_t> matrix_offsets(const Shape& shape, size_t output_axis) {
  const size_t rank = shape.rank();
  std::vector<int64_t> offsets;
  if (rank == 1) {
    for (int64_t i = 0; i < shape[0]; ++i) offsets.push_back(i);
    pad_to_even(offsets);
    return offsets;
  }
  const size_t inner_axis = output_axis + 1 == rank ? rank - 2 : rank - 1;
  const int64_t step = shape.element_count(inner_axis + 1, rank), size = shape[rank - 1] * shape[rank - 2];
  for (int64_t matrix = 0; matrix < shape.element_count(0, rank - 2); ++matrix) {
    for (int64_t i = 0; i < shape[inner_axis]; ++i) offsets.push_back(matrix * size + i * step);
    pad_to_even(offsets);
  }
  return offsets;
}

}  // namespace

std::vector<int64_t> pair_offsets(const Shape& shape, const PairOrder& order) {
  if (order.kind == PairOrder::Kind::None || shape.element_count() == 0) return {};
  const auto axis = as_index(order.output_axis);
  const bool convolution = order.kind == PairOrder::Kind::Convolution;
  const bool deconvolution = order.kind == PairOrder::Kind::Deconvolution;
  const bool fits = convolution     ? axis == 0 && shape.rank() >= 2
                    : deconvolution ? axis == 1 && shape.rank() >= 2
                                    : shape.rank() == 1 || (axis < shape.rank() && axis + 2 >= shape.rank());
  if (!fits)
    throw Error(ErrorCode::Internal, "a weight of shape " + shape.to_string() + " has no outputs on axis " +
                                         std::to_string(order.output_axis));
  if (deconvolution) return deconvolution_offsets(shape);
  if (!convolution) return matrix_offsets(shape, axis);
  return convolution_offsets(shape, order.taps_apart);
}

UnsafePairs count_unsafe_pairs(const Tensor& codes, const PairOrder& order) {
  UnsafePairs found;
  const Shape& shape = codes.shape();
  const std::vector<int64_t> offsets = pair_offsets(shape, order);
  if (offsets.empty()) return found;
  const PairOutputs outputs(shape, order);
  const auto code = codes.data<int8_t>();
  const auto at = [&](int64_t offset, int64_t start) {
    return offset < 0 ? int32_t{0} : int32_t{code[as_index(start + offset)]};
  };
  found.all_pairs = outputs.count * as_extent(offsets.size() / 2);
  std::vector<int32_t> unsafe(as_index(outputs.count));  // by output
  const auto count = [&](size_t i, int64_t o) {
    unsafe[as_index(o)] += !is_safe_pair(at(offsets[i], o * outputs.step), at(offsets[i + 1], o * outputs.step));
  };
  if (outputs.step == 1)  // in the order of memory
    for (size_t i = 0; i < offsets.size(); i += 2)
      for (int64_t o = 0; o < outputs.count; ++o) count(i, o);
  else
    for (int64_t o = 0; o < outputs.count; ++o)
      for (size_t i = 0; i < offsets.size(); i += 2) count(i, o);
  for (const int32_t pairs : unsafe) found.pairs += pairs, found.outputs += pairs > 0;
  return found;
}

float least_safe_scale(std::span<const float> weights, float scale) {
  for (size_t i = 0; i + 1 < weights.size(); i += 2)
    if (!is_safe_at(weights[i], weights[i + 1], scale)) scale = raise(weights[i], weights[i + 1], scale);
  return scale;
}

}  // namespace detent
