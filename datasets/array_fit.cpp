#include "datasets/array_fit.h"

#include <algorithm>
#include <cstring>

#include "detent/error.h"

namespace detent {

namespace {

using Extents = std::vector<int64_t>;

constexpr int64_t kAny = -1;

/// The input's extents with `batch` on its batch axis.
Extents model_layout(const FeedInput& input, int64_t batch) {
  Extents extents = input.spec.shape;
  if (input.batch_axis != kNoBatchAxis) extents[static_cast<size_t>(input.batch_axis)] = batch;
  return extents;
}

/// The input's extents without its batch axis.
Extents without_batch(const FeedInput& input) {
  Extents extents = input.spec.shape;
  if (input.batch_axis != kNoBatchAxis) extents.erase(extents.begin() + input.batch_axis);
  return extents;
}

bool agree(std::span<const int64_t> array, const Extents& wanted) {
  return std::ranges::equal(array, wanted, [](int64_t a, int64_t b) { return b < 0 || a == b; });
}

[[noreturn]] void refuse(const Shape& array, const FeedInput& input) {
  std::string hint;
  if (input.batch_axis == 0)
    hint = "axis 0 of an array holds the samples; the other sizes must be the model's";
  else if (input.batch_axis > 0)
    hint = "samples lie on axis " + std::to_string(input.batch_axis) +
           " of an array of that rank, or on axis 0 of one that leaves it out; --batch-axis " + input.spec.name +
           "=AXIS names another";
  else if (!input.spec.shape.empty())
    hint =
        "the input has no batch axis: one sample has its whole shape, and several are stacked on one more axis in "
        "front; "
        "--batch-axis " +
        input.spec.name + "=0 says that axis 0 counts samples";
  throw Error(ErrorCode::InvalidData,
              "the array has shape " + array.to_string() + ", the model's input '" + input.spec.name + "' wants " +
                  describe_shape(input.spec),
              std::move(hint));
}

[[noreturn]] void refuse_ambiguous(const Shape& array, const FeedInput& input) {
  const auto axis = static_cast<size_t>(input.batch_axis);
  throw Error(ErrorCode::InvalidData,
              "the array of shape " + array.to_string() + " can be read in two ways for the input '" + input.spec.name +
                  "' (" + describe_shape(input.spec) + "): " + std::to_string(array[axis]) + " samples on axis " +
                  std::to_string(axis) + ", or " + std::to_string(array[0]) + " samples on axis 0",
              "--batch-axis " + input.spec.name + "=" + std::to_string(axis) +
                  " means the first; for the second give axis " + std::to_string(axis) +
                  " the extent 1 behind the samples' axis");
}

/// An array of the input's rank, which has a batch axis behind axis 0.
ArrayFit fit_inner_axis(const Shape& array, const FeedInput& input) {
  const auto axis = static_cast<size_t>(input.batch_axis);
  const bool inner = agree(array.dims(), model_layout(input, kAny));
  const bool front = agree(array.dims().subspan(1), without_batch(input));
  if (inner && front && array[axis] != 1 && !input.spec.batch_axis_named) refuse_ambiguous(array, input);
  if (inner) return {input.batch_axis, static_cast<size_t>(array[axis])};
  if (front) return {0, static_cast<size_t>(array[0])};
  refuse(array, input);
}

}  // namespace

std::string describe_shape(const InputSpec& spec) {
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
  if (array.rank() == rank + 1 && agree(array.dims().subspan(1), model_layout(input, 1)))
    return {0, static_cast<size_t>(array[0])};
  if (array.rank() == rank && !batched && agree(array.dims(), input.spec.shape)) return {};
  if (array.rank() == rank && input.batch_axis == 0 && agree(array.dims(), model_layout(input, kAny)))
    return {0, static_cast<size_t>(array[0])};
  if (array.rank() == rank && input.batch_axis > 0) return fit_inner_axis(array, input);
  if (batched && array.rank() + 1 == rank && agree(array.dims(), without_batch(input))) return {};
  refuse(array, input);
}

Tensor cut_sample(const Tensor& array, const ArrayFit& fit, size_t i, const FeedInput& input) {
  if (fit.cut_axis == ArrayFit::kWhole) return shape_sample(array, fit, input);
  const auto axis = static_cast<size_t>(fit.cut_axis);
  const Shape& shape = array.shape();
  Shape part = shape;
  part[axis] = 1;
  Tensor sample(array.type(), part);
  const size_t block = static_cast<size_t>(shape.element_count(axis + 1, shape.rank())) * byte_size(array.type());
  const auto* from = static_cast<const std::byte*>(array.raw()) + i * block;
  auto* to = static_cast<std::byte*>(sample.mutable_raw());
  for (int64_t outer = 0; outer < shape.element_count(0, axis); ++outer) {
    std::memcpy(to, from, block);
    to += block;
    from += block * static_cast<size_t>(shape[axis]);
  }
  return shape_sample(sample, fit, input);
}

Tensor shape_sample(const Tensor& values, const ArrayFit& fit, const FeedInput& input) {
  const auto dims = values.shape().dims();
  Extents extents(dims.begin(), dims.end());
  const size_t rank = input.spec.shape.size();
  const bool batched = input.batch_axis != kNoBatchAxis;
  if (fit.cut_axis != ArrayFit::kWhole) extents.erase(extents.begin() + fit.cut_axis);
  if (batched && extents.size() < rank) extents.insert(extents.begin() + input.batch_axis, 1);
  return cast(values.reshaped(Shape(std::span<const int64_t>(extents))), input.spec.type);
}

}  // namespace detent
