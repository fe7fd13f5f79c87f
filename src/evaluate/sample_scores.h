#pragma once

#include <optional>
#include <vector>

#include "evaluate/trial.h"

namespace detent {

/// Returns the average batch's signal at each output; 0 where the output is not float or not finite.
[[nodiscard]] std::vector<double> average_signals(const std::vector<std::vector<ErrorSums>>& batches, size_t outputs);

/// Returns the largest score of one sample in dB: 30 dB above the SQNR of the variant's mean noise relative to the
/// signal, within 60 dB and kExactDb. Without this limit a sample on which nothing differs (an output that is 0) would
/// outweigh all others. No noise -> kExactDb.
[[nodiscard]] double ceiling_db(double mean_noise);

/// Returns the SQNR of every variant on every sample in dB, [variant][sample]: that of the worst float output, from
/// -60 dB up to ceiling_db(). The scores of one variant do not depend on the others. The noise of a sample is relative
/// to its own signal or the average sample's, whichever is larger: a sample with a small signal is not a bad one.
/// Outputs that are 0 throughout, or not finite in FP32, are left out; no output left -> 0 for all.
///
/// evaluation  with `by_batch`; a batch that the model fixes has one score.
[[nodiscard]] std::vector<std::vector<double>> sample_scores(const Evaluation& evaluation);

/// Returns the share of the samples' classes that are as in FP32, at the worst of the outputs that hold one row of
/// scores a sample (OutputMeaning::Classes); nullopt without such an output.
[[nodiscard]] std::optional<double> class_agreement(const Evaluation& evaluation, size_t variant);

}  // namespace detent
