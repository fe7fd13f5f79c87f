#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "evaluate/trial.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"
#include "rewrite/weight_memo.h"

namespace detent {

/// Some values' ranges.
using RangeChange = std::map<ValueId, Range>;
/// Errors of one variant, [batch][output].
using BatchErrorSums = std::vector<std::vector<ErrorSums>>;

/// Measures quantized variants of one float model that differ in ranges, many on a sample (ModelsSideBySide). Same
/// result for any number of threads. What it looks at must outlive it.
/// Errors  those of evaluate_side_by_side and
/// make_qdq_patch.
class RangeVariants {
 public:
  /// names  values to compare.
  RangeVariants(const Model& model, const PlacementPlan& plan, const RewriteOptions& format,
                std::vector<std::string> names, const RunSettings& settings)
      : model_(model), plan_(plan), format_(format), names_(std::move(names)), settings_(settings) {}

  /// Models as they would be written: the whole plan with `ranges`, and each of `changes` in turn.
  [[nodiscard]] Evaluation whole(const std::map<ValueId, Range>& ranges, std::span<const RangeChange> changes,
                                 const DataSource& source);
  /// Float models in which only these values have pairs, at the outputs `names`. Empty where an output's shape came out
  /// different for some variant beside it.
  [[nodiscard]] std::vector<BatchErrorSums> alone(std::span<const RangeChange> changes,
                                                  const std::vector<std::string>& names,
                                                  const DataSource& source) const;

 private:
  const Model& model_;
  const PlacementPlan& plan_;
  const RewriteOptions& format_;
  std::vector<std::string> names_;
  const RunSettings& settings_;
  WeightMemo weights_;
};

}  // namespace detent
