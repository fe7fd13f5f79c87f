#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "detent/reports/error_report.h"

namespace detent {

/// What a verdict rests on.
struct JudgedFacts {
  bool quantized = true;           ///< some value got a pair or some weight is INT8
  size_t calibration_samples = 0;  ///< 0: imported scales
  size_t samples = 0;              ///< that the error was measured on; 0: not measured
  size_t calibrated_with = 0;      ///< how many of those very samples were calibrated with
  struct Named {
    std::string name;
    double sqnr_db = 0;
  };
  std::optional<Named> output;  ///< the worst float output; absent: none, or all are 0 throughout
  std::optional<Named> sample;  ///< the worst sample
  size_t classified = 0;        ///< decisions, of the output where most are others than in FP32; 0: nothing is decided
  size_t agreeing = 0;          ///< of them, as in FP32
  bool classes = true;          ///< they are for a class; false: elements of integer outputs, where there are no others
  std::vector<std::string> uncomparable = {};  ///< outputs that have another shape than in FP32 on some sample
  size_t states = 0;                           ///< outputs that a next step reads as inputs
  std::string decided_by;                      ///< the output's name, where there are several; empty: not worth saying
};

/// Limits of the verdict, fitted to 154 candidates of the four classifiers, judged on whole evaluation sets
/// (src/decisions/evaluate.md). SQNR: all 15 below 7 dB lost 7.2 points or more, the 64 from 7 to
/// 15 dB between 0 and 10 (half of them 3), the 75 from 15 dB on at most 3 (nine in ten at most 1.8).
struct VerdictLimits {
  double broken_below_db = 7;
  double good_from_db = 15;
  /// Agreement: all 19 below 0.8 lost 6.7 points or more, the 36 from 0.8 to 0.9 up to 8.5 (half of them 3), the 99
  /// from 0.9 on at most 4 (nine in ten at most 2.5).
  double broken_below_agreement = 0.8;
  double good_from_agreement = 0.9;
  size_t chance_disagreements = 2;  ///< so many say nothing: a close call or two among 16 samples
  /// A sample whose error exceeds its signal, and that of the average sample, is lost.
  double lost_sample_below_db = 0;
  size_t few_samples = 8;
};

/// The worst of three answers: the worst output's SQNR, agreement of decisions, the worst sample (doubtful at most).
[[nodiscard]] VerdictReport judge(const JudgedFacts& facts, const VerdictLimits& limits = {});

}  // namespace detent
