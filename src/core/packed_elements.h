#pragma once

#include <span>
#include <string>

#include "detent/base/tensor.h"

namespace detent {

/// True for types of fewer than eight bits, which files store without gaps.
[[nodiscard]] bool is_packed(DataType type);
/// Returns the bytes that `count` elements take in a file.
[[nodiscard]] size_t stored_bytes(DataType type, int64_t count);
/// Fills the tensor, whose type is_packed(), from stored_bytes() bytes without gaps, the first element in the lowest
/// bits. Source: onnx.proto, comments of TensorProto.raw_data.
void unpack(std::span<const uint8_t> bytes, Tensor& tensor);
/// Does the reverse.
[[nodiscard]] std::string pack(const Tensor& tensor);

}  // namespace detent
