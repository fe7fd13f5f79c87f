#pragma once

#include <cstdint>

namespace detent {

/// Where the weights of a written model lie. Beside it means one file NAME.onnx.DIGITS.data, each tensor at a multiple
/// of 4096 bytes; tensors below 1 KiB, constants of nodes and what branches hold stay in the model file.
enum class ExternalData : uint8_t {
  Auto,    ///< beside the model where it would exceed protobuf's 2 GiB
  Always,  ///< beside the model, unless every tensor is small
  Never,   ///< in the model file; beyond 2 GiB nothing is written
};

}  // namespace detent
