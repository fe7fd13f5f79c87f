#pragma once

#include <span>
#include <string>

#include "detent/base/tensor.h"

namespace detent {

/// True for types of fewer than eight bits, which files hold without gaps.
[[nodiscard]] bool is_packed(DataType type);
/// Bytes that `count` elements take in a file.
[[nodiscard]] size_t stored_bytes(DataType type, int64_t count);
/// Fills the tensor, whose type is_packed(), from stored_bytes() bytes: elements follow each other without gaps, the
/// first in the lowest bits. Source: onnx.proto, comments of TensorProto.raw_data.
void unpack(std::span<const uint8_t> bytes, Tensor& tensor);
/// The reverse.
[[nodiscard]] std::string pack(const Tensor& tensor);

}  // namespace detent
