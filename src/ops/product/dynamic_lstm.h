#pragma once

#include <span>

#include "detent/base/tensor.h"

namespace detent {

/// Rounds numbers to the UINT8 codes that DynamicQuantizeLinear would give all of them together: smallest and largest
/// number, and 0, are codes. All zeros stay.
void round_at_run_time(std::span<float> numbers);

/// Returns the weights of an LSTM that the codes of a DynamicQuantizeLSTM stand for.
/// codes        INT8 or UINT8, [directions, inner, columns]
/// scales       [directions], or one for each column: [directions, columns]
/// zero_points  as many, of the codes' type
/// Returns      [directions, columns, inner], as LSTM has them
/// Errors       InvalidData for other shapes or types.
[[nodiscard]] Tensor lstm_weights(const Tensor& codes, const Tensor& scales, const Tensor& zero_points);

}  // namespace detent
