#pragma once

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "tune/float_variants.h"

namespace detent {

/// The least by which a scale in advance has to keep more of a product's data than one found at run time.
inline constexpr double kFixedGainDb = 1;

/// Returns the plan in which every product with a scale at run time has one in advance, where the rules can.
[[nodiscard]] PlacementPlan plan_in_advance(const PairVariants& variants);

/// Finds the products of a plan with scales at run time that do better with a scale in advance: by node name, with the
/// reason for the plan. The variants' ranges give those scales.
///
/// Candidates  products whose data keep kFixedGainDb more of 8 bits in their range than in the range from the smallest
///             to the largest number of each sample: a few large numbers in every sample widen that one.
/// Measured    the model with all candidates against that with none, on 16 samples, by accept_change().
/// Cost        one pass over the data for the products' inputs, and 16 runs of both models where there are candidates.
/// Data of which single samples are not known -> none.
/// Errors      those of measuring, rewriting and running; Interrupted.
[[nodiscard]] KeptFloat find_fixed_products(PairVariants& variants, const DataSource& source,
                                            const RunSettings& settings);

}  // namespace detent
