#pragma once

#include <optional>
#include <vector>

#include "evaluate/evaluate_models.h"

namespace detent {

/// SQNR of every variant on every sample in dB, [variant][sample]: that of the worst float output, within +-60 dB (the rule of
/// summarize_errors). 8-bit codes do not reach 60 dB: an output that lies above is untouched, and by how much says nothing.
///
/// The noise of a sample is held against its own signal or the average sample's, whichever is larger: a sample that shows
/// nothing is not a bad one.
/// evaluation  by_batch was asked for; of a batch that the model fixes there is one score.
/// Left out    outputs that are 0 throughout, or not finite in FP32. No output left -> 0 for all.
[[nodiscard]] std::vector<std::vector<double>> sample_scores(const Evaluation& evaluation);

/// Share of the samples' classes that are as in FP32, at the worst of the outputs that hold one row of scores a sample and tell
/// classes (ErrorSums::tells_classes); absent where no output does.
[[nodiscard]] std::optional<double> class_agreement(const Evaluation& evaluation, size_t variant);

}  // namespace detent
