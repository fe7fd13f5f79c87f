#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detent/reports/error_report.h"
#include "evaluate/closing_error.h"

namespace detent {

/// The facts of a verdict.
struct JudgedFacts {
  bool quantized = true;           ///< some value has a pair or some weight is INT8
  size_t calibration_samples = 0;  ///< 0: imported scales
  ClosingError closing = {};       ///< no samples: not measured
  size_t calibrated_with = 0;      ///< samples of `closing` that are calibration samples
  size_t states = 0;               ///< outputs that a next step reads as inputs
  bool labelled = false;           ///< boxes of the user score the detections
  /// Rise of the word error rate against FP32 on transcribed clips, with its standard error.
  struct Words {
    double rise = 0, error = 0;
    size_t clips = 0;
  };
  std::optional<Words> words = {};
  std::vector<std::string> unseen = {};  ///< values with a pair that were 0 in every calibration sample
};

/// The measure of a row of evidence.
enum class Measure : uint8_t {
  Output,
  AboutMean,
  Block,
  Classes,
  Elements,
  Detections,
  Scores,
  Cosine,
  Neighbours,
  Words,
  Sample,
  Unseen
};

/// The limits of one measure (src/decisions/evaluate.md).
struct VerdictRule {
  Measure measure;
  double broken_below, good_from;
  /// False: the reason is listed only where it is not good, or the only one.
  bool always_listed = true;
};

/// An output, or a block that is seen (BlockErrors), below 3 dB is never good, however little power it has.
///
/// Classes     in 154 candidates of four classifiers all 19 below 0.8 lost 6.7 points or more, the 36 from 0.8 to 0.9
///             up to 8.5 (half of them 3), the 99 from 0.9 on at most 4 (nine in ten at most 2.5).
/// Detections  mAP of the quantized model's against the float model's, fitted to 58 variants of three detectors: the
///             true loss of mAP is a quarter to a third of what is missing to 1.
/// Scores      of detections that both models have: 1 less their mean change. Two objects at .92 and .96 that fell to
///             .50 had an agreement of 100 %.
/// Cosine      of embeddings, at the SQNRs of Output: 7 dB is 0.91, 14 dB 0.98.
/// Neighbours  of embeddings: the share of samples whose nearest neighbour stays.
/// Words       1 less the rise of the word error rate: a point more is what users of speech accept.
/// AboutMean   a mean far from 0 hides an error from the SQNR of the output.
/// Block       below 1 dB its mean would be nearly as good.
/// Sample      below 0 dB its error exceeds its signal and that of the average sample: at most doubtful.
/// Unseen      the scale is a guess: at most doubtful.
inline constexpr std::array<VerdictRule, 12> kVerdictRules{{{Measure::Output, 7, 14},
                                                            {Measure::AboutMean, 9, 10, false},
                                                            {Measure::Block, 1, 10, false},
                                                            {Measure::Classes, 0.8, 0.9},
                                                            {Measure::Elements, 0.8, 0.9},
                                                            {Measure::Detections, 0.82, 0.96},
                                                            {Measure::Scores, 0.6, 0.8, false},
                                                            {Measure::Cosine, 0.91, 0.97},
                                                            {Measure::Neighbours, 0.6, 0.8},
                                                            {Measure::Words, 0.9, 0.99},
                                                            {Measure::Sample, -HUGE_VAL, 0},
                                                            {Measure::Unseen, -HUGE_VAL, HUGE_VAL}}};

[[nodiscard]] constexpr const VerdictRule& rule_of(Measure measure) {
  return kVerdictRules[static_cast<size_t>(measure)];
}

/// One thing that was measured.
struct Evidence {
  Measure measure = Measure::Output;
  std::string where;         ///< as in the reason: "'logits'"; of the classes of a single output empty
  double kept = 0;           ///< dB, or the fraction of classes, elements or mAP
  double error = 0;          ///< standard error of a fraction; within it the number could be on either side of a limit
  size_t all = 0, lost = 0;  ///< decisions, and those that differ; unseen values; detections of FP32
  bool too_few = false;      ///< tells nothing
};

/// Returns the table that a verdict is made of.
[[nodiscard]] std::vector<Evidence> evidence_of(const JudgedFacts& facts);

/// Fewer detections of FP32 than this tell nothing of a detector, unless labels score it.
inline constexpr size_t kFewestDetections = 10;

/// Returns the worst grade of the evidence with the reasons in words, the worst first. Unknown where samples were run
/// and there is no evidence, or too few detections and nothing else is broken; absent without samples, and where
/// nothing was quantized.
[[nodiscard]] VerdictReport judge(const JudgedFacts& facts);

}  // namespace detent
