#pragma once

#include <cstddef>

namespace detent {

/// How many samples each measurement takes. Samples are those with the smallest name hashes (samples_by_hash), because
/// folders may be sorted by class; the same samples serve measurements that must not judge each other's result apart.

/// Candidates that are far behind, and values that ruin a network: two samples show it, and leave more for the others.
inline constexpr size_t kRoughSamples = 2;
/// Values that a bad verdict blames: each value costs a run of the network behind it.
inline constexpr size_t kBlameSamples = 4;
/// The fewest of which a mean tells a gain from chance, a sample an outlier, and ranges are reliable.
inline constexpr size_t kFewestToJudge = 8;
/// The fewest for a step that measures on one half and is judged on the other.
inline constexpr size_t kFewestToRefine = 2 * kFewestToJudge;
/// Samples that alone reach an end of a range, beside those that are taken by chance.
inline constexpr size_t kMostExtremes = 8;
/// Questions whose answers are several dB apart, or that are asked of every node: products with fixed scales, outlier
/// channels, nodes in 16 bits, products that saturate, the numbers of classes.
inline constexpr size_t kProbingSamples = 16;
/// The closing error at any cost: a tenth of it is one sample more or less.
inline constexpr size_t kClosingSamples = 16;
/// Samples that decide about a change, and that nothing was measured on.
inline constexpr size_t kDecidingSamples = 32;
/// Other samples, on which the changes are measured that the deciding samples judge.
inline constexpr size_t kMeasuringSamples = 64;
/// Candidates that differ by tenths of a dB: calibrators, attempts, files of a search, layers of a bound.
inline constexpr size_t kJudgedSamples = 64;
/// Factors of an equalization: a channel that fires on one sample in a hundred would otherwise look small.
inline constexpr size_t kFactorSamples = 128;
/// The same for channels that are measured in one short pass.
inline constexpr size_t kRangeSamples = 256;
/// Samples that locate a set of layers under a bound: its score is off by less than layers differ.
inline constexpr size_t kTellingSamples = 500;
/// Samples among which nearest neighbours are sought, at the cost of their square.
inline constexpr size_t kNeighbourSamples = 512;
/// A detector's first round, the one that ranks and the last: one detection more or less decides on fewer images. Of 2
/// or 3 auto chose badly (src/decisions/tune.md); 4 tell what is far behind, 8 which are the best four.
inline constexpr size_t kFewestOfDetector = 4, kRankedOfDetector = 8, kFinalOfDetector = 16;

}  // namespace detent
