#include "datasets/base/array_fit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "core/float_type.h"
#include "core/index.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Extents = std::vector<int64_t>;

constexpr int64_t kAny = -1;

/// Returns the input's extents with `batch` on its batch axis.
Extents model_layout(const FeedInput& input, int64_t batch) {
  Extents extents = input.spec.shape;
  if (input.batch_axis != kNoBatchAxis) extents[as_index(input.batch_axis)] = batch;
  return extents;
}

/// Returns the input's extents without its batch axis.
Extents without_batch(const FeedInput& input) {
  Extents extents = input.spec.shape;
  if (input.batch_axis != kNoBatchAxis) extents.erase(extents.begin() + input.batch_axis);
  return extents;
}

bool agree(std::span<const int64_t> array, const Extents& wanted) {
  return std::ranges::equal(array, wanted, [](int64_t a, int64_t b) { return b < 0 || a == b; });
}

/// ": axes 1 and 2 look exchanged" of an array that fits with two axes exchanged; else "".
std::string exchanged_axes(const Shape& array, const FeedInput& input) {
  const std::vector<int64_t>& wanted = input.spec.shape;
  std::vector<int64_t> extents(array.begin(), array.end());
  if (extents.size() + 1 == wanted.size()) extents.insert(extents.begin(), wanted.front());
  if (extents.size() != wanted.size()) return {};
  std::vector<size_t> differing;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] >= 0 && wanted[i] != extents[i] && i != as_index(std::max<int64_t>(input.batch_axis, 0)))
      differing.push_back(i);
  if (differing.size() != 2) return {};
  const size_t a = differing[0], b = differing[1];
  if (extents[a] != wanted[b] || extents[b] != wanted[a]) return {};
  return ": axes " + std::to_string(a) + " and " + std::to_string(b) + " look exchanged";
}

[[noreturn]] void refuse_array(const Shape& array, const FeedInput& input) {
  std::string hint;
  if (input.batch_axis == 0)
    hint = "axis 0 of an array holds the samples; the other sizes must be the model's";
  else if (input.batch_axis > 0)
    hint = "samples lie on axis " + std::to_string(input.batch_axis) +
           " of an array of that rank, or on axis 0 of one without that axis; --batch-axis " + input.spec.name +
           "=AXIS names another axis";
  else if (!input.spec.shape.empty())
    hint =
        "the input has no batch axis: one sample has its whole shape, and several are stacked on an additional "
        "first axis; --batch-axis " +
        input.spec.name + "=0 makes axis 0 count samples";
  throw Error(ErrorCode::InvalidData,
              "the array has shape " + array.to_string() + ", the model's input '" + input.spec.name + "' wants " +
                  describe_shape(input.spec) + exchanged_axes(array, input),
              std::move(hint));
}

[[noreturn]] void refuse_ambiguous(const Shape& array, const FeedInput& input) {
  const auto axis = as_index(input.batch_axis);
  throw Error(ErrorCode::InvalidData,
              "the array of shape " + array.to_string() + " can be read in two ways for the input '" + input.spec.name +
                  "' (" + describe_shape(input.spec) + "): " + std::to_string(array[axis]) + " samples on axis " +
                  std::to_string(axis) + ", or " + std::to_string(array[0]) + " samples on axis 0",
              "--batch-axis " + input.spec.name + "=" + std::to_string(axis) +
                  " means the first; for the second give axis " + std::to_string(axis) +
                  " the extent 1 behind the samples' axis");
}

/// Fits an array of the input's rank whose batch axis is behind axis 0.
ArrayFit fit_inner_axis(const Shape& array, const FeedInput& input) {
  const auto axis = as_index(input.batch_axis);
  const bool inner = agree(array.dims(), model_layout(input, kAny));
  const bool front = agree(array.dims().subspan(1), without_batch(input));
  if (inner && front && array[axis] != 1 && !input.spec.batch_axis_named) refuse_ambiguous(array, input);
  if (inner) return {input.batch_axis, as_index(array[axis])};
  if (front) return {0, as_index(array[0])};
  refuse_array(array, input);
}

/// Fits rows of token ids that are longer than the input.
std::optional<ArrayFit> fit_windows(const Shape& array, const FeedInput& input) {
  const auto& [spec, position, batch_axis] = input;
  const bool ids = spec.type == DataType::Int64 || spec.type == DataType::Int32;
  if (!ids || batch_axis != 0 || spec.shape.size() != 2 || spec.shape[1] < 1) return std::nullopt;
  const int64_t window = spec.shape[1];
  if (array.rank() < 1 || array.rank() > 2 || array[array.rank() - 1] <= window) return std::nullopt;
  const auto windows = as_index(array[array.rank() - 1] / window);
  const size_t rows = array.rank() == 2 ? as_index(array[0]) : 1;
  return ArrayFit{0, rows * windows, window, windows};
}

}  // namespace

std::string describe_shape(const InputSpec& spec) {
  if (!spec.has_shape) return "any shape";
  if (spec.shape.empty()) return "scalar";
  std::string text;
  for (const int64_t extent : spec.shape) {
    if (!text.empty()) text += 'x';
    text += extent < 0 ? "?" : std::to_string(extent);
  }
  return text;
}

ArrayFit fit_array(const Shape& array, const FeedInput& input) {
  const size_t rank = input.spec.shape.size();
  const bool batched = input.batch_axis != kNoBatchAxis;
  if (!input.spec.has_shape) return array.rank() == 0 ? ArrayFit{} : ArrayFit{0, as_index(array[0])};
  if (array.rank() == rank + 1 && agree(array.dims().subspan(1), model_layout(input, 1)))
    return {0, as_index(array[0])};
  if (array.rank() == rank && !batched && agree(array.dims(), input.spec.shape)) return {};
  if (array.rank() == rank && input.batch_axis == 0 && agree(array.dims(), model_layout(input, kAny)))
    return {0, as_index(array[0])};
  if (array.rank() == rank && input.batch_axis > 0) return fit_inner_axis(array, input);
  if (batched && array.rank() + 1 == rank && agree(array.dims(), without_batch(input))) return {};
  if (const auto windows = fit_windows(array, input)) return *windows;
  refuse_array(array, input);
}

ArraySample cut_window(const Tensor& row, int64_t first, int64_t window, const FeedInput& input) {
  const Tensor ids = cast(row, DataType::Int64);
  const std::span<const int64_t> all = ids.data<int64_t>();
  const auto from = as_index(first), count = as_index(window);
  if (from + count > all.size()) throw Error(ErrorCode::Internal, "a window of token ids goes beyond its row");
  ArraySample sample{cast(Tensor::from<int64_t>({1, window}, all.subspan(from, count)), input.spec.type), {}};
  if (from + count < all.size()) sample.next = all[from + count];
  return sample;
}

ArraySample cut_sample(const Tensor& array, const ArrayFit& fit, size_t i, const FeedInput& input) {
  if (fit.window > 0) {
    const int64_t length = array.shape()[array.shape().rank() - 1];
    const auto row = as_extent(i / fit.windows), at = as_extent(i % fit.windows);
    const Tensor ids = cast(array, DataType::Int64);
    const auto all = ids.data<int64_t>().subspan(as_index(row * length), as_index(length));
    return cut_window(Tensor::from<int64_t>({length}, all), at * fit.window, fit.window, input);
  }
  if (fit.cut_axis == ArrayFit::kWhole) return {shape_sample(array, fit, input), {}};
  const auto axis = as_index(fit.cut_axis);
  const Shape& shape = array.shape();
  Shape part = shape;
  part[axis] = 1;
  Tensor sample(array.type(), part);
  const size_t block = as_index(shape.element_count(axis + 1, shape.rank())) * byte_size(array.type());
  const auto* from = static_cast<const std::byte*>(array.raw()) + i * block;
  auto* to = static_cast<std::byte*>(sample.mutable_raw());
  for (int64_t outer = 0; outer < shape.element_count(0, axis); ++outer) {
    std::memcpy(to, from, block);
    to += block;
    from += block * as_index(shape[axis]);
  }
  return {shape_sample(sample, fit, input), {}};
}

namespace {

/// True for integers of 8 to 64 bits.
bool is_integer(DataType type) { return type >= DataType::Int8 && type <= DataType::UInt64; }

/// Refuses floats that an integer input would lose: only fractions, or a change by the cast larger than the variation
/// of the values around their mean.
void check_cast(const Tensor& values, const Tensor& integers, const FeedInput& input) {
  const Tensor wide = cast(values, DataType::Float64), back = cast(integers, DataType::Float64);
  const auto x = wide.data<double>(), y = back.data<double>();
  double sum = 0, squares = 0, error = 0, low = 0, high = 0, count = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) continue;
    low = count == 0 ? x[i] : std::min(low, x[i]);
    high = count == 0 ? x[i] : std::max(high, x[i]);
    ++count;
    sum += x[i];
    squares += x[i] * x[i];
    error += (x[i] - y[i]) * (x[i] - y[i]);
  }
  const bool only_fractions = low >= -1 && high <= 1;
  if (error == 0 || (!only_fractions && error < squares - sum * sum / count)) return;
  std::ostringstream what;
  what.precision(4);
  what << "the input '" << input.spec.name << "' takes " << name_of(input.spec.type) << ", and the array's "
       << name_of(values.type()) << " from " << low << " to " << high << " do not survive the cast";
  throw Error(ErrorCode::InvalidData, what.str(),
              "give whole numbers in the range of that type, such as pixels from 0 to 255 for uint8");
}

}  // namespace

Tensor shape_sample(const Tensor& values, const ArrayFit& fit, const FeedInput& input) {
  const auto dims = values.shape().dims();
  Extents extents(dims.begin(), dims.end());
  const size_t rank = input.spec.shape.size();
  const bool batched = input.batch_axis != kNoBatchAxis;
  if (fit.cut_axis != ArrayFit::kWhole) extents.erase(extents.begin() + fit.cut_axis);
  if (!input.spec.has_shape && fit.cut_axis != ArrayFit::kWhole) extents.insert(extents.begin(), 1);
  if (batched && extents.size() < rank) extents.insert(extents.begin() + input.batch_axis, 1);
  Tensor sample = cast(values.reshaped(Shape(std::span<const int64_t>(extents))), input.spec.type);
  if (is_floating_point(values.type()) && is_integer(input.spec.type)) check_cast(values, sample, input);
  return sample;
}

}  // namespace detent
