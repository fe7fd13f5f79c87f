#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "detent/base/tensor.h"

namespace detent {

/// Reads a serialised onnx::TensorProto, the input_N.pb and output_N.pb of ONNX's backend tests. Elements from raw_data
/// or from the typed field; types below eight bits are unpacked.
/// Errors  InvalidData naming the file when it is not a tensor or too short; Unsupported for strings, complex numbers,
/// sequences, optionals and external data.
[[nodiscard]] Tensor read_tensor_pb(const std::filesystem::path& path);

/// The kind of value in a file, which the model's declared type tells, not the file.
enum class PbForm : uint8_t { Tensor, Sequence, Optional };

/// Reads a serialised onnx::SequenceProto or onnx::OptionalProto of tensors too; an empty handle for an absent
/// optional.
/// Errors  as read_tensor_pb; Unsupported for maps, sparse tensors and lists of lists.
[[nodiscard]] Tensor read_value_pb(const std::filesystem::path& path, PbForm form);

/// Returns the test_data_set_* folders in `folder` in natural order; `folder` when it holds input_0.pb or output_0.pb.
/// Empty   no such folder.
[[nodiscard]] std::vector<std::filesystem::path> find_test_data_sets(const std::filesystem::path& folder);

}  // namespace detent
