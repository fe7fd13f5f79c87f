#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/onnx_type.h"
#include "detent/base/tensor.h"

namespace onnx {
class TensorProto;
}

namespace detent {

class MappedFile;

/// The tensor in `proto`. raw_data is looked at, not copied (the tensor must not outlive it), except Bool and the types
/// below eight bits; typed fields are decoded into a copy.
/// Errors  Unsupported for element types outside DataType, strings and ranks above Shape::kMaxRank; InvalidModel when
/// the data does not fill the shape or still lies in an external file.
[[nodiscard]] Tensor tensor_from_proto(const onnx::TensorProto& proto);

/// Replaces type, shape and data of `proto` by a copy of `tensor` as raw_data; the name stays. Plain layout only.
/// Errors  Internal for strings.
void tensor_to_proto(const Tensor& tensor, onnx::TensorProto& proto);

/// As tensor_to_proto, but what lies in a MappedFile stays there. Gives the file, which whoever holds the document is
/// to hold; nullptr where the elements were copied.
[[nodiscard]] std::shared_ptr<const MappedFile> share_tensor(const Tensor& tensor, onnx::TensorProto& proto);

}  // namespace detent
