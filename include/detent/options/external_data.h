#pragma once

#include <cstdint>

namespace detent {

/// Place of a written model's weights. External data is one file NAME.onnx.DIGITS.data beside the model, with each
/// tensor at a multiple of 4096 bytes; tensors below 1 KiB, node constants and branches stay in the model file.
enum class ExternalData : uint8_t {
  Auto,    ///< external if the model would exceed protobuf's 2 GiB
  Always,  ///< external, unless every tensor is small
  Never,   ///< in the model file; an error beyond 2 GiB
};

}  // namespace detent
