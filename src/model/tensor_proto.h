#pragma once

#include <cstdint>
#include <string>

#include "detent/tensor.h"

namespace onnx {
class TensorProto;
}

namespace detent {

/// ONNX's number for an element type and back; Undefined for types Detent does not compute with (strings included).
[[nodiscard]] DataType data_type_from_onnx(int32_t onnx_type);
[[nodiscard]] int32_t onnx_type_of(DataType type);

/// The tensor in `proto`. raw_data is looked at, not copied (the tensor must not outlive it), except Bool and the packed
/// 4-bit types; typed fields are decoded into a copy.
/// Errors  Unsupported for element types outside DataType, strings and ranks above Shape::kMaxRank; InvalidModel when the
/// data does not fill the shape or still lies in an external file.
[[nodiscard]] Tensor tensor_from_proto(const onnx::TensorProto& proto);

/// Replaces type, shape and data of `proto` by a copy of `tensor` as raw_data; the name stays. Plain layout only.
/// Errors  Internal for strings.
void tensor_to_proto(const Tensor& tensor, onnx::TensorProto& proto);

}  // namespace detent
