#pragma once

#include <cstdint>

#include "detent/base/tensor.h"

namespace detent {

/// Returns the element type of a number of onnx::TensorProto::DataType; Undefined for strings, complex numbers and
/// unknown numbers.
[[nodiscard]] DataType data_type_from_onnx(int64_t onnx_type);
/// Does the reverse; 0 (UNDEFINED) for strings and sequences.
[[nodiscard]] int32_t onnx_type_of(DataType type);

/// STRING, for messages.
inline constexpr int32_t kOnnxString = 8;

}  // namespace detent
