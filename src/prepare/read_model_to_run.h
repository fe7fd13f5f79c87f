#pragma once

#include <filesystem>

#include "datasets/state/pipeline_file.h"
#include "model/model.h"
#include "prepare/expand_operators.h"

namespace detent {

/// Errors  InvalidModel for the file of a pipeline (datasets/state/pipeline_file.h).
void refuse_pipeline_file(const std::filesystem::path& path);

/// Reads a model, inlines its local functions, compares every node with the signature of its operator and expands
/// operators of ONNX Runtime. Every command reads its models through this function or those below.
/// expansion  gets what was expanded, and the nodes that could not be; nullptr: not wanted
/// Errors  those of refuse_pipeline_file; those of read_model, inline_functions and check_signatures, after the path.
[[nodiscard]] Model read_runnable_model(const std::filesystem::path& path, Expansion* expansion = nullptr);

/// Reads a model in the same way; of a pipeline (datasets/state/pipeline_file.h) all files, as one model.
/// expansion  gets what was expanded, and the nodes that could not be
/// Errors  those of read_runnable_model, read_pipeline_file and join_files.
[[nodiscard]] Model read_any_model(const std::filesystem::path& path, Expansion& expansion);

/// Reads a model to quantize: inlines local functions and branches whose condition is known, and replaces CastLike by
/// Cast. Weights that are stored as codes become floats (restore_weights). Of a pipeline all files, as one model.
/// Errors  InvalidModel, also when it is quantized already; those of read_pipeline_file and join_files.
[[nodiscard]] Model read_float_model(const std::filesystem::path& path);
[[nodiscard]] Model read_float_model(const PipelineFile& pipeline);

/// Reads one file of a pipeline in the same way.
/// restored  gets the number of its weights that are stored as codes (restore_weights); nullptr: not wanted
/// Errors  those of read_float_model.
[[nodiscard]] Model read_float_file(const std::filesystem::path& path, size_t* restored = nullptr);

/// Reads a model that may be quantized already, to make codes of what is float in it; does the same to it.
/// Errors  those of read_runnable_model.
[[nodiscard]] Model read_model_with_pairs(const std::filesystem::path& path);

/// Reads a model to cast, which may hold QuantizeLinear and DequantizeLinear; does the same to it.
/// Errors  InvalidModel, also when operators compute with codes.
[[nodiscard]] Model read_model_to_cast(const std::filesystem::path& path);

}  // namespace detent
