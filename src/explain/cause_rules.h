#pragma once

#include <cstddef>
#include <optional>

#include "explain/cause.h"
#include "explain/engine_view.h"

namespace detent {

/// Rules: each returns nothing for layers that it is not about.

/// Returns true for a float layer all of whose operands have pairs: activations, and weights of a product.
[[nodiscard]] bool runs_in_floats_with_pairs(const EngineView& view, size_t index);

/// A layer reads pairs and computes in floats: the engine has no INT8 kernel for it.
[[nodiscard]] std::optional<Cause> lacks_int8_kernel(const EngineView& view, size_t index);
/// A layer of an NPU's compiler that stands on the CPU of the chip.
[[nodiscard]] std::optional<Cause> runs_on_cpu(const EngineView& view, size_t index);
/// A float layer on an NPU that runs in INT8 what has pairs all around, or a change of types beside it.
[[nodiscard]] std::optional<Cause> lies_without_pairs(const EngineView& view, size_t index);
/// A quantizer, a dequantizer or a Scale that dequantizes weights, all of whose readers are such layers.
[[nodiscard]] std::optional<Cause> serves_layer_without_kernel(const EngineView& view, size_t index);
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
/// A constant that the engine dequantizes in each run.
[[nodiscard]] std::optional<Cause> dequantizes_constant(const EngineView& view, size_t index);
/// The network's input or output has another form than its layers.
[[nodiscard]] std::optional<Cause> reformats_at_border(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> changes_type(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> changes_layout(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> copies_into_joint_tensor(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> copies(const EngineView& view, size_t index);

/// Rules of files with names only.

[[nodiscard]] std::optional<Cause> lacks_int8_kernel_by_name(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> quantizer_by_name(const EngineView& view, size_t index);
[[nodiscard]] std::optional<Cause> reformat_by_name(const EngineView& view, size_t index);
/// A part of the network that is compiled as one, whose types the file does not tell.
[[nodiscard]] std::optional<Cause> block_by_name(const EngineView& view, size_t index);
/// A BatchNormalization by itself, or what the parser made of its numbers.
[[nodiscard]] std::optional<Cause> normalization_by_name(const EngineView& view, size_t index);
/// A layer in front of a quantizer by itself.
[[nodiscard]] std::optional<Cause> float_by_name(const EngineView& view, size_t index);

}  // namespace detent
