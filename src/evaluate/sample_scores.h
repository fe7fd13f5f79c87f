#pragma once

#include <optional>
#include <vector>

#include "evaluate/trial.h"

namespace detent {

/// The most that one sample counts in a score, in dB: 30 dB above the SQNR of the variant's mean noise over its samples
/// (relative to the signal), from 60 dB up to kExactDb. A sample on which nothing differs (an output that is 0, say)
/// has an infinite SQNR, and one far above the others tells as little: neither may outweigh the rest. No noise at all
/// -> kExactDb.
[[nodiscard]] double ceiling_db(double mean_noise);

/// SQNR of every variant on every sample in dB, [variant][sample]: that of the worst float output, from -60 dB up to
/// ceiling_db(). The scores of one variant do not depend on the others.
///
/// The noise of a sample is held against its own signal or the average sample's, whichever is larger: a sample that
/// shows nothing is not a bad one. evaluation  by_batch was asked for; of a batch that the model fixes there is one
/// score. Left out    outputs that are 0 throughout, or not finite in FP32. No output left -> 0 for all.
[[nodiscard]] std::vector<std::vector<double>> sample_scores(const Evaluation& evaluation);

/// Share of the samples' classes that are as in FP32, at the worst of the outputs that hold one row of scores a sample
/// and tell classes (ErrorSums::tells_classes); absent where no output does.
[[nodiscard]] std::optional<double> class_agreement(const Evaluation& evaluation, size_t variant);

}  // namespace detent
