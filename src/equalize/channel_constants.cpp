#include "equalize/channel_constants.h"

#include <vector>

namespace detent {

bool has_channels(const Tensor& constant, size_t from_right, size_t channels) {
  const Shape& shape = constant.shape();
  const int64_t extent = from_right < shape.rank() ? shape[shape.rank() - 1 - from_right] : 1;
  return extent == 1 || extent == static_cast<int64_t>(channels);
}

Tensor over_channels(const Tensor& constant, size_t from_right, std::span<const double> numbers,
                     const std::function<double(double, double)>& combine) {
  const auto channels = std::ssize(numbers);
  std::vector<int64_t> extents(constant.shape().begin(), constant.shape().end());
  while (extents.size() <= from_right) extents.insert(extents.begin(), 1);
  const size_t axis = extents.size() - 1 - from_right;
  const Shape in{std::span<const int64_t>(extents)};
  extents[axis] = channels;
  const Shape out{std::span<const int64_t>(extents)};
  const int64_t outer = in.element_count(0, axis), inner = in.element_count(axis + 1, in.rank());
  const Tensor wide = cast(constant, DataType::Float64);
  const auto values = wide.data<double>();
  Tensor result(DataType::Float64, out);
  const auto target = result.mutable_data<double>();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t from = (o * in[axis] + (in[axis] == 1 ? 0 : c)) * inner + i;
        target[static_cast<size_t>((o * channels + c) * inner + i)] =
            combine(values[static_cast<size_t>(from)], numbers[static_cast<size_t>(c)]);
      }
  return cast(result, constant.type());
}

}  // namespace detent
