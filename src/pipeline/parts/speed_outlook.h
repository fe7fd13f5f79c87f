#pragma once

#include <map>
#include <string>

#include "detent/reports/plan_report.h"
#include "model/graph/graph.h"
#include "model/graph/value_shapes.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// Judges from counts whether INT8 is likely to beat FP16. `counts` has everything except verdict and text.
///
/// * No layer in INT8: it cannot.
/// * Less than half of the MACs in INT8: it may be no faster. INT8 kernels multiply at twice the rate of FP16 at most,
///   so that half of the MACs saves a quarter of the time at most.
/// * More quantizers alone than a quarter of the INT8 layers: it may be no faster.
/// * More copies of codes into Concats than INT8 layers: it may be no faster.
/// * Else it is likely.
///
/// Source  ResNet-18 with 21 layers on an A100 with TensorRT 8.4, batch 32: FP16 0.863 ms; INT8 with 10 quantizers
/// alone
///         0.882 ms, with 3 0.546 ms, with 1 0.500 ms (engines/trex-pt-resnet18-A100-*). A quarter lies between 3 and
///         10 of 21, on the careful side. MobileNetV2 with 53 layers on a TITAN RTX: 17 alone 0.352 ms, 2 alone
///         0.264 ms (engines/trex-mobilenet-qat). DenseNet-121 on an H100: 532 copies beside 121 layers, INT8 11.2 ms,
///         FP16 10.0 (level 0 of the builder). Twice the rate: 624 and 312 TOPS, NVIDIA A100 data sheet.
[[nodiscard]] SpeedOutlook judge_speed(SpeedOutlook counts, const CoverageReport& coverage);

/// Lists the quantizers of a file that stand alone in the report of its plan, and judges its speed.
/// file   with its pairs
/// sizes  of values by name; empty: bytes are not counted
void add_outlook(const Graph& file, const std::map<std::string, Shape>& sizes, PlanReport& report);

/// Returns shapes by name instead of id.
[[nodiscard]] std::map<std::string, Shape> named_sizes(const Graph& graph, const ValueShapes& shapes);

}  // namespace detent
