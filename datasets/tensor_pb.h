#pragma once

#include <filesystem>
#include <vector>

#include "detent/tensor.h"

namespace detent {

/// Reads a serialised onnx::TensorProto, the input_N.pb and output_N.pb of ONNX's backend tests. Elements from raw_data or
/// from the typed field; int4 and uint4, packed two a byte with the first in the low half, are unpacked.
/// Errors  InvalidData naming the file when it is no tensor or too short; Unsupported for strings, complex numbers, 8-bit
/// floats, sequences, optionals and external data.
[[nodiscard]] Tensor read_tensor_pb(const std::filesystem::path& path);

/// The test_data_set_* folders in `folder` in natural order; `folder` itself when it holds input_0.pb or output_0.pb.
/// Empty   nothing of the kind, or no such folder.
[[nodiscard]] std::vector<std::filesystem::path> find_test_data_sets(const std::filesystem::path& folder);

}  // namespace detent
