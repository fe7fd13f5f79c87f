#pragma once

#include <filesystem>

#include "model/model.h"

namespace detent {

/// Reads a model, inlines its local functions and compares every node with the signature of its operator.
/// Errors  those of read_model, inline_functions and check_signatures, after the path.
[[nodiscard]] Model read_runnable_model(const std::filesystem::path& path);

/// Reads a model to quantize: inlines local functions and branches whose condition is known, and replaces CastLike by
/// Cast.
/// Errors  InvalidModel, also when it is quantized already.
[[nodiscard]] Model read_float_model(const std::filesystem::path& path);

/// Reads a model to cast, which may hold QuantizeLinear and DequantizeLinear; does the same to it.
/// Errors  InvalidModel, also when operators compute with codes.
[[nodiscard]] Model read_model_to_cast(const std::filesystem::path& path);

}  // namespace detent
