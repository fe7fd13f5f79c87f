#pragma once

#include <cstdint>

#include "detent/base/tensor.h"

namespace detent {

/// Element type of a number of onnx::TensorProto::DataType. Undefined for those that Detent does not have: strings and
/// complex numbers, and for numbers that name no type.
[[nodiscard]] DataType data_type_from_onnx(int64_t onnx_type);
/// The reverse; 0 (UNDEFINED) for strings and sequences.
[[nodiscard]] int32_t onnx_type_of(DataType type);

/// STRING, for messages.
inline constexpr int32_t kOnnxString = 8;

}  // namespace detent
