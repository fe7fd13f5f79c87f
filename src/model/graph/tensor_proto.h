#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/onnx_type.h"
#include "detent/base/tensor.h"

namespace onnx {
class TensorProto;
}

namespace detent {

class MappedFile;

/// Returns the tensor in `proto`. It looks into raw_data and does not copy it (the tensor must not outlive it), except
/// Bool and the types below eight bits; typed fields are decoded into a copy. Errors  Unsupported for element types
/// outside DataType, strings and ranks above Shape::kMaxRank; InvalidModel when the data does not fill the shape or
/// still lies in an external file.
[[nodiscard]] Tensor tensor_from_proto(const onnx::TensorProto& proto);

/// Returns the bytes that the tensor's shape and type take in raw_data or a file; nullopt for other element types.
/// Errors  as tensor_from_proto() for the shape.
[[nodiscard]] std::optional<uint64_t> raw_data_bytes(const onnx::TensorProto& proto);

/// Replaces type, shape and data of `proto` by a copy of `tensor` as raw_data; the name stays. Plain layout only.
/// Errors  Internal for strings.
void tensor_to_proto(const Tensor& tensor, onnx::TensorProto& proto);

/// Does what tensor_to_proto does, except that data in a MappedFile stays there. Returns the file, which the owner of
/// the document must hold; nullptr where the elements were copied.
[[nodiscard]] std::shared_ptr<const MappedFile> share_tensor(const Tensor& tensor, onnx::TensorProto& proto);

}  // namespace detent
