#pragma once

#include <functional>
#include <span>

#include "detent/tensor.h"

namespace detent {

/// True when the constant has `channels` numbers along the axis that lies `from_right` of its end, or is broadcast
/// there.
[[nodiscard]] bool has_channels(const Tensor& constant, size_t from_right, size_t channels);

/// Every element of the constant combined with the number of its channel, which the axis `from_right` of its end
/// counts; spread over the channels where it is broadcast there. Computed in double, rounded once to the constant's
/// type. The constant must satisfy has_channels(constant, from_right, numbers.size()).
[[nodiscard]] Tensor over_channels(const Tensor& constant, size_t from_right, std::span<const double> numbers,
                                   const std::function<double(double, double)>& combine);

}  // namespace detent
