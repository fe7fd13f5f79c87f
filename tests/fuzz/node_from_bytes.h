#pragma once

#include <memory>
#include <string>

#include "fuzz/byte_reader.h"
#include "model/onnx_protos.h"

namespace detent::fuzz {

/// Makes a model of one node. The first two bytes choose a row of kOneNodes (exec/one_node_models.h), the next the
/// number of changes that follow: of attributes, shapes and types of inputs, constants, the opset, and the lists of
/// inputs and outputs. A row is chosen by a hash of its text, not by its place, so new rows hardly change the meaning
/// of an input.
[[nodiscard]] std::unique_ptr<onnx::ModelProto> node_from_bytes(ByteReader& bytes);

/// Returns the bytes that choose row `index` of kOneNodes without a change.
[[nodiscard]] std::string bytes_of_row(size_t index);

}  // namespace detent::fuzz
