#pragma once

#include <string>
#include <vector>

#include "place/plan/placement_plan.h"

namespace detent::tensorrt {

/// Returns the names of the nodes that must compute in FP32 although the file has 16-bit floats, because a version
/// before 11 ends with an internal error else: an INT8 Conv with an activation that has constants, and this activation;
/// a ConvTranspose of odd channels; a grouped 3-D Conv. Source  TensorRT 10.6 on an H200, 111 files built strongly
/// typed, of which 22 failed: "weightsPtr.h ... type() ==
///         expectedDataType<T>()", "could not infer output types", "no supported formats"; November 2026.
[[nodiscard]] std::vector<std::string> half_risks(const PlacementPlan& plan, const Graph& graph);

}  // namespace detent::tensorrt
