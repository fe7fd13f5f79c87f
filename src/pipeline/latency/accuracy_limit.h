#pragma once

#include <memory>
#include <optional>
#include <string>

#include "detent/quantize.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/closing_steps.h"
#include "tune/bound_judge.h"

namespace detent {

/// Returns the settings without progress and warnings: a search has one progress line.
[[nodiscard]] RunSettings silently(RunSettings run);

/// The accuracy of files that a search by latency tries, and the least that is allowed: with `judge` the bound, else
/// the default file's SQNR less 1 dB, on up to 64 calibration samples, over their steps where they have such. The
/// arguments must outlive it.
class AccuracyLimit {
 public:
  /// Errors  those of FloatOutputs.
  AccuracyLimit(const Attempt& attempt, const QuantizeOptions& options, const BoundJudge* judge);

  [[nodiscard]] std::string text() const;
  /// An SQNR, the score of a bound on a task, and whether the file may be taken.
  struct Answer {
    std::optional<double> sqnr_db = {}, score = {};
    bool holds = true;
  };
  /// Measures a model. The first one is the default, which may always be taken.
  /// Errors  those of measuring.
  [[nodiscard]] Answer judge(const Model& model);

 private:
  const BoundJudge* judge_;
  RunSettings run_;
  std::unique_ptr<const FloatOutputs> outputs_ = nullptr;  ///< without a judge
  bool seen_ = false;
  std::optional<double> default_db_ = {};
};

}  // namespace detent
