#pragma once

#include <string>
#include <vector>

#include "place/plan/placement_plan.h"

namespace detent::tensorrt {

/// Returns the layers of the plan, as "Conv 'a' and LeakyRelu 'b'", for which a version before 11 ends with an internal
/// error if nodes around the pairs have a 16-bit type in the file. They are an INT8 Conv with an activation that has
/// FP16 constants, a ConvTranspose of odd channels, and a grouped 3-D Conv.
/// Source  TensorRT 10.6 on an H200, 111 files built strongly typed, of which 22 failed: "weightsPtr.h ... type() ==
///         expectedDataType<T>()", "could not infer output types", "no supported formats"; November 2026.
[[nodiscard]] std::vector<std::string> half_risks(const PlacementPlan& plan, const Graph& graph);

}  // namespace detent::tensorrt
