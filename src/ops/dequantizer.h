#pragma once

#include <optional>
#include <vector>

#include "ops/kernel.h"

namespace detent {

/// The constants of a DequantizeLinear of 8-bit codes in front of a layer.
struct Dequantizer {
  const Node* node = nullptr;
  std::vector<float> scales;         ///< positive and finite
  std::vector<int32_t> zero_points;  ///< as many as scales
  DataType type = DataType::UInt8;   ///< or Int8
};

/// Finds the DequantizeLinear that writes input `slot`. nullopt where there is none, where its scale or zero point is
/// not constant, and for blocks, other types of codes and scales that are no FP32 vector.
[[nodiscard]] std::optional<Dequantizer> dequantizer_of(const KernelContext& context, size_t slot);

}  // namespace detent
