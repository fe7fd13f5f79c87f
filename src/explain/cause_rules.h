#pragma once

#include <cstddef>
#include <optional>

#include "explain/cause.h"
#include "explain/engine_view.h"

namespace detent {

/// Rules: each returns nothing for layers that it is not about.

/// Two values are dequantized, added and quantized again: the pair on the output of the Conv keeps it from adding.
[[nodiscard]] std::optional<Cause> pair_in_front_of_add(const EngineView& view, size_t index);
/// An INT8 layer writes floats.
[[nodiscard]] std::optional<Cause> writes_floats(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> quantizes_network_input(const EngineView& view, size_t index);
/// The quantized value has another reader, which wants floats.
[[nodiscard]] std::optional<Cause> quantizes_beside_float_reader(const EngineView& view, size_t index);
/// The quantized value comes from a layer that computes in floats, or that adds a float shortcut.
[[nodiscard]] std::optional<Cause> quantizes_behind_float_layer(const EngineView& view, size_t index);
/// A DequantizeLinear by itself.
[[nodiscard]] std::optional<Cause> dequantizes(const EngineView& view, size_t index);
/// A constant that ONNX Runtime dequantizes in each run.
[[nodiscard]] std::optional<Cause> dequantizes_constant(const EngineView& view, size_t index);
/// A file without tensors tells no more than the name.
[[nodiscard]] std::optional<Cause> quantizer_by_name(const EngineView& view, size_t index);
/// The network's input or output has another form than its layers.
[[nodiscard]] std::optional<Cause> reformats_at_border(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> changes_type(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> changes_layout(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> reformat_by_name(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> copies(const EngineView& view, size_t index);

}  // namespace detent
