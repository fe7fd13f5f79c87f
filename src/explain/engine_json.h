#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "explain/engine.h"

namespace detent {

/// The hint of errors about other files.
inline constexpr const char* kExpectedLayers =
    "expected are TensorRT's layers (trtexec --exportLayerInfo, --dumpLayerInfo, a verbose log), the profile of ONNX "
    "Runtime (enable_profiling) or the log of Rockchip's compiler (RKNN(verbose=True))";

/// Parses JSON.
/// Errors  those of parse_json(), with a hint: what was expected, or to write a text that ends in the middle again.
[[nodiscard]] nlohmann::json parse_engine_json(std::string_view text, const char* expected);

/// Parses TensorRT's layers: hands each element of "Layers" to `take` and returns the rest.
/// Errors  those of parse_json_list(), with the same hints; those of `take`.
[[nodiscard]] nlohmann::json parse_engine_layers(std::string_view text,
                                                 const std::function<void(const nlohmann::json&)>& take);

/// Returns the text of a member; "" where it is missing or no text.
[[nodiscard]] std::string text_of(const nlohmann::json& object, const char* key);

/// Reads one object of a layer in TensorRT's words; a text is a layer with a name only.
/// Errors  InvalidData for anything else.
[[nodiscard]] EngineLayer read_layer(const nlohmann::json& json);

/// Reads the nodes of ONNX Runtime's profile in the order of their first run, each with its mean time.
/// Errors  InvalidData where there is none.
[[nodiscard]] BuiltEngine read_node_events(const nlohmann::json& events);

/// Reads the lines of layers in a log: those of --dumpLayerInfo where there are any, else those of a verbose build. Of
/// several engines the last one counts.
/// Empty   an engine without layers.
/// Errors  InvalidData for a line that ends in the middle.
[[nodiscard]] BuiltEngine read_log(std::string_view log);

/// The title that the table of layers has in the log of Rockchip's compiler.
inline constexpr std::string_view kCompilerTable = "Network Layer Information Table";

/// Reads the tables of layers and of tensors in the verbose log of Rockchip's compiler, with its estimate of cycles as
/// times of layers on the NPU. Of several builds the last one counts. Lines that end in the middle are left out.
/// Empty   an engine without layers.
[[nodiscard]] BuiltEngine read_compiler_table(std::string_view log);

}  // namespace detent
