#pragma once

#include <cstddef>

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
};

/// Limits of the verdict (src/decisions/evaluate.md).
struct VerdictLimits {
  double broken_below_db = 7;  ///< SQNR of the worst output
  double good_from_db = 14;
  /// SQNR about its means of the worst output without decisions, which a mean far from 0 hides.
  double broken_below_mean_db = 9;
  double good_from_mean_db = 10;
  /// Agreement of decisions in 154 candidates of four classifiers: all 19 below 0.8 lost 6.7 points or more, the 36
  /// from 0.8 to 0.9 up to 8.5 (half of them 3), the 99 from 0.9 on at most 4 (nine in ten at most 2.5).
  double broken_below_agreement = 0.8;
  double good_from_agreement = 0.9;
  size_t chance_disagreements = 2;  ///< so many mean nothing: a close call or two among 16 samples
  /// Agreement of detections (mAP of the quantized model's against the float model's), fitted to 58 variants of three
  /// detectors (src/decisions/evaluate.md): the true loss of mAP is a quarter to a third of what is missing to 1.
  double broken_below_detections = 0.82;
  double good_from_detections = 0.96;
  /// SQNR of the worst part of an output that mixes numbers of different meaning or size, which the whole may hide.
  double good_from_block_db = 10;
  double broken_below_block_db = 1;  ///< its mean would be nearly as good
  /// Below: the error of a sample exceeds its signal and that of the average sample.
  double lost_sample_below_db = 0;
  size_t few_samples = 8;
};

/// Returns the worst of the grades: SQNR of the worst output, as it is and about its means, and of the worst block,
/// agreement of decisions, worst sample (at most doubtful). A detector is graded by the agreement of its detections
/// instead.
[[nodiscard]] VerdictReport judge(const JudgedFacts& facts, const VerdictLimits& limits = {});

}  // namespace detent
