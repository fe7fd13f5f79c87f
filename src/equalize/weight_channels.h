#pragma once

#include <vector>

#include "equalize/channel_axis.h"

namespace detent {

/// Returns the weight of a rescalable node (is_rescalable) with each element multiplied by the factor of its output
/// channel and divided by that of its input channel. Empty lists count as ones. Computes in double and rounds once to
/// the weight's type.
/// Errors  Internal when a list does not have one factor a channel.
[[nodiscard]] Tensor rescaled_weight(const Graph& graph, const Node& node, const std::vector<float>& read,
                                     const std::vector<float>& written);

/// Returns the largest magnitude of the weights by input channel, when output channels are multiplied by `written`.
[[nodiscard]] std::vector<double> input_magnitudes(const Graph& graph, const Node& node,
                                                   const std::vector<double>& written = {});
/// Returns the same for the unchanged weights, each relative to the largest of its output channel.
[[nodiscard]] std::vector<double> relative_input_magnitudes(const Graph& graph, const Node& node);
/// Returns the largest magnitude of the weights by output channel, when input channels are divided by `read`.
[[nodiscard]] std::vector<double> output_magnitudes(const Graph& graph, const Node& node,
                                                    const std::vector<double>& read = {});

/// Returns the number of channels that a rescalable node reads or writes.
[[nodiscard]] int64_t input_channels(const Graph& graph, const Node& node);
[[nodiscard]] int64_t output_channels(const Graph& graph, const Node& node);

/// True when every output channel reads one input channel: a scale for each output channel then takes any factor of the
/// input.
[[nodiscard]] bool reads_one_channel(const Graph& graph, const Node& node);

}  // namespace detent
