#pragma once

#include "detent/options/float_types.h"
#include "detent/options/run_settings.h"
#include "detent/reports/kept_pairs.h"
#include "detent/reports/plan_report.h"
#include "half/float_format.h"
#include "half/float_plan.h"
#include "model/graph/value_shapes.h"
#include "model/model.h"
#include "place/engines/target.h"

namespace detent {

/// True when the main graph holds QuantizeLinear or DequantizeLinear.
[[nodiscard]] bool has_pairs(const Graph& graph);

/// Prepares a file with pairs for a 16-bit type: stores the codes of constants and, where the pairs get 16-bit scales,
/// raises the opset to one that has them and rounds the scales to the type. An opset that cannot be raised leaves FP32
/// scales, with a warning, and sets format.half_scales to false.
/// Returns the counts of codes and scales; those of nodes are set by count_pairs().
/// Errors  those of raise_for for BF16.
KeptPairs prepare_pairs(Model& model, FloatType type, FloatFormat& format, Reporter& reporter);

/// Counts the pairs of the written model.
void count_pairs(const Graph& graph, KeptPairs& pairs);

/// Casts without samples: bounds by the pairs and weights decide which nodes compute in 16 bits.
/// shapes  of the values of `model`; may be empty
FloatReport cast_by_bounds(Model& model, const FloatFormat& format, const ValueShapes& shapes,
                           const ForcedFloat32& forced = {});

/// Returns the first target that takes the codes and zero points of all activations; codes that no target takes do not
/// count.
[[nodiscard]] const Target& target_of_codes(const Graph& graph);

/// Returns the types of the file for target_of_codes(), as `lint` reads them.
/// shapes  of the values of `model`; without them MACs and bytes are 0
[[nodiscard]] CoverageReport coverage_of_pairs(const Model& model, const ValueShapes& shapes);

}  // namespace detent
