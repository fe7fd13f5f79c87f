#pragma once

#include "detent/placement_options.h"
#include "pipeline/parts/half_setup.h"
#include "tune/choose_calibrator.h"

namespace detent {

/// The calibrator that is measured to be best, and its ranges, where what is not quantized computes in 16 bits. Measured with the
/// rest in FP32: the ranges are the same, the candidates are told apart without the noise of the halves, and the choice is that of
/// the FP32 file. Its runs are cheaper too.
/// Where the plan of the FP32 model has values that the half one lacks, the half one is measured.
/// question   asks for the half model, with a source
/// Errors  those of choose_calibrator.
[[nodiscard]] ChosenRanges choose_before_half(const CalibratorQuestion& question, const HalfSetup& half,
                                              const PlacementOptions& placement);

}  // namespace detent
