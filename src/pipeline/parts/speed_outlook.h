#pragma once

#include <map>
#include <string>
#include <vector>

#include "detent/reports/plan_report.h"
#include "model/graph/graph.h"
#include "model/graph/value_shapes.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// Says in words what `counts`, which have everything except verdict and text, tell about the speed with TensorRT,
/// without a prediction. That no layer runs in INT8 is certain, and the verdict is "none"; else the verdict is that of
/// `forecasts`: "likely" where each that has a ratio expects less time than the float model's, beyond its standard
/// error; "doubtful" where one does not; "unknown" where none has a ratio.
///
/// The counts matter: quantizers alone are layers, and copies into Concats move all codes. ResNet-18 with 21 layers on
/// an A100 with TensorRT 8.4, batch 32: FP16 0.863 ms; INT8 with 10 quantizers alone 0.882 ms, with 3 0.546 ms, with 1
/// 0.500 ms (engines/trex-pt-resnet18-A100-*). DenseNet-121 on an H100: 532 copies beside 121 layers, INT8 11.2 ms,
/// FP16 10.0. No rule over them holds for other engines and batches.
[[nodiscard]] SpeedOutlook judge_speed(SpeedOutlook counts, const CoverageReport& coverage,
                                       const std::vector<LatencyForecast>& forecasts = {});

/// Lists the quantizers of a file that stand alone in the report of its plan, and judges its speed by its forecasts.
/// file   with its pairs
/// sizes  of values by name; empty: bytes are not counted
void add_outlook(const Graph& file, const std::map<std::string, Shape>& sizes, PlanReport& report);

/// Returns shapes by name instead of id.
[[nodiscard]] std::map<std::string, Shape> named_sizes(const Graph& graph, const ValueShapes& shapes);

}  // namespace detent
