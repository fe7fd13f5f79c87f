#include "datasets/array_fit.h"

#include <algorithm>

#include "detent/error.h"

namespace detent {

namespace {

/// Extents that one sample must have, batch axis left out.
std::span<const int64_t> sample_extents(const FeedInput& input) {
  const std::span<const int64_t> all(input.spec.shape);
  return input.batched ? all.subspan(1) : all;
}

bool agree(std::span<const int64_t> array, std::span<const int64_t> wanted) {
  return std::equal(array.begin(), array.end(), wanted.begin(), wanted.end(),
                    [](int64_t a, int64_t b) { return b < 0 || a == b; });
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
  const std::span<const int64_t> wanted = sample_extents(input);
  if (array.rank() == wanted.size() + 1 && agree(array.dims().subspan(1), wanted))
    return {true, static_cast<size_t>(array[0])};
  if (array.rank() == wanted.size() && agree(array.dims(), wanted)) return {false, 1};
  throw Error(ErrorCode::InvalidData,
              "the array has shape " + array.to_string() + ", the model's input '" + input.spec.name + "' wants " +
                  describe_shape(input.spec),
              input.batched ? "axis 0 of an array holds the samples; the other sizes must be the model's" : "");
}

Tensor shape_sample(const Tensor& values, const ArrayFit& fit, const FeedInput& input) {
  Shape shape;
  if (input.batched) shape.push_back(1);
  for (const int64_t extent : values.shape().dims().subspan(fit.split ? 1 : 0)) shape.push_back(extent);
  return cast(values.reshaped(shape), input.spec.type);
}

}  // namespace detent
