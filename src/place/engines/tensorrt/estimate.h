#pragma once

#include <optional>
#include <vector>

#include "detent/reports/speed_estimate.h"
#include "model/graph/value_shapes.h"
#include "place/engines/tensorrt/kernel_work.h"
#include "place/plan/placement_plan.h"

namespace detent::tensorrt {

/// A GPU by its data sheet, without sparsity.
struct Gpu {
  std::string_view name;
  double half_tflops, int8_tops;  ///< of tensor cores
  double core_tflops;             ///< of other cores, in FP16
  double terabytes;               ///< a second, of its memory
  std::string_view source;
};

/// Returns the GPU that the model was fitted on, then others.
[[nodiscard]] std::span<const Gpu> gpus();

/// Returns how long the kernels take on a GPU: each its arithmetic or its bytes, whichever takes longer, and a start.
[[nodiscard]] double milliseconds(const std::vector<KernelWork>& kernels, const Gpu& gpu);

/// Returns how many times as long as in FP16 a region takes on the GPU that the model was fitted on, with a batch so
/// many times as large: by the whole model or by bytes alone, whichever is less. Starts of kernels do not count,
/// because there are about as many; tiles of a few channels were not measured. 1 where the difference is less than a
/// start.
[[nodiscard]] double cost_of_codes(const CodeRegion& region, double batch);

/// The standard error of the ratio of a network.
constexpr double kEstimateError = .09;

/// Estimates the float model in FP16 and the plan's file. nullopt without sizes, or where the plan has no pair.
[[nodiscard]] std::optional<SpeedEstimate> estimate(const PlacementPlan& plan, const Graph& graph,
                                                    const ValueShapes& shapes);

}  // namespace detent::tensorrt
