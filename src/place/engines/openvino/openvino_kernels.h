#pragma once

#include <string>

#include "place/draft/graph_facts.h"

namespace detent {

/// Returns what the engine does with this layer whatever its pairs are, as a predicate ("runs a ConvTranspose with
/// groups in float"); empty where pairs make it INT8.
/// Source: OpenVINO 2026.4.1, CPU plugin.
[[nodiscard]] std::string openvino_kernel_obstacle(const GraphFacts& facts, const Node& layer);

}  // namespace detent
