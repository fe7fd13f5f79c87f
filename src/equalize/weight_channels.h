#pragma once

#include <vector>

#include "equalize/channel_axis.h"

namespace detent {

/// Multiplies the weight of a rescalable node (is_rescalable): element by the factor of its output channel and by one
/// over the factor of its input channel. Empty lists count as ones. Computed in double, rounded once to the weight's
/// type.
/// Errors  Internal when a list does not have one factor a channel.
[[nodiscard]] Tensor rescaled_weight(const Graph& graph, const Node& node, const std::vector<float>& read,
                                     const std::vector<float>& written);

/// Largest magnitude of the weights by input channel, when output channels are multiplied by `written`.
[[nodiscard]] std::vector<double> input_magnitudes(const Graph& graph, const Node& node,
                                                   const std::vector<double>& written = {});
/// The same of the weights as they are, each relative to the largest of its output channel.
[[nodiscard]] std::vector<double> relative_input_magnitudes(const Graph& graph, const Node& node);
/// Largest magnitude of the weights by output channel.
[[nodiscard]] std::vector<double> output_magnitudes(const Graph& graph, const Node& node,
                                                    const std::vector<double>& read = {},
                                                    const std::vector<double>& written = {});

/// How many channels a rescalable node reads and writes.
[[nodiscard]] int64_t input_channels(const Graph& graph, const Node& node);
[[nodiscard]] int64_t output_channels(const Graph& graph, const Node& node);

/// True when every output channel reads one input channel: a scale for each output channel takes any factor of the
/// input.
[[nodiscard]] bool reads_one_channel(const Graph& graph, const Node& node);

}  // namespace detent
