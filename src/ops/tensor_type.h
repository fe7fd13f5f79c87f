#pragma once

#include "detent/tensor.h"

namespace detent {

/// The element type behind a number of onnx.TensorProto.DataType, as attributes (Cast's `to`) carry it. Undefined for strings
/// and types that Detent does not compute with. Source: onnx.proto, enum DataType.
[[nodiscard]] constexpr DataType tensor_type(int64_t code) {
  switch (code) {
    case 1: return DataType::Float32;
    case 2: return DataType::UInt8;
    case 3: return DataType::Int8;
    case 4: return DataType::UInt16;
    case 5: return DataType::Int16;
    case 6: return DataType::Int32;
    case 7: return DataType::Int64;
    case 9: return DataType::Bool;
    case 10: return DataType::Float16;
    case 11: return DataType::Float64;
    case 12: return DataType::UInt32;
    case 13: return DataType::UInt64;
    case 16: return DataType::BFloat16;
    case 21: return DataType::UInt4;
    case 22: return DataType::Int4;
    default: return DataType::Undefined;
  }
}

}  // namespace detent
