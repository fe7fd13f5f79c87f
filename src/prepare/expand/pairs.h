#pragma once

#include "prepare/expand/parts.h"

namespace detent::expand {

/// The codes in `slot`, whose scale and zero point are the next two inputs, in float.
Name dequantized(Body& body, size_t slot);
Name dequantized(Body& body, const Name& codes, const Name& scale, const Name& zero);
/// Returns codes of a float value, whose scale is input `scale` and zero point the next one. Without a zero point it is
/// 0, of the type of input `codes`.
Name quantized(Body& body, const Name& value, size_t scale, size_t codes);

/// Applies `inner` to a value whose channels lie in the last axis: Transpose, inner, Transpose.
template <class Inner>
Name in_channels_first(Body& body, const Name& value, size_t rank, const Inner& inner) {
  std::vector<int64_t> first(rank), last(rank);
  const auto axes = static_cast<int64_t>(rank);
  for (int64_t i = 0; i < axes; ++i) {
    const auto at = static_cast<size_t>(i);
    first[at] = i == 0 ? 0 : i == 1 ? axes - 1 : i - 1;
    last[at] = i == 0 ? 0 : i == axes - 1 ? 1 : i + 1;
  }
  return transpose(body, inner(transpose(body, value, std::move(first))), std::move(last));
}

}  // namespace detent::expand
