#pragma once

#include <map>
#include <set>
#include <string>

#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

/// Constants that are better written as UINT8 codes, and what that gains. SQNRs are at the worst output, in dB.
struct Uint8Weights : MeasuredChange {
  std::set<std::string> names;  ///< empty: none are
  size_t layers = 0;            ///< that were tried
};

/// Tries UINT8 weights in the first layers of the graph, those that read no other layer's values. Products of UINT8 and
/// UINT8 never saturate, so their scales need not be raised (RewriteOptions::Saturation::Avoided); they take 1.25 to
/// 1.4 times as long, and a first layer is a small part of a network and suffers most. Kept where the SQNR rises by 0.1
/// dB or more on up to 32 samples.
///
/// model   prepared float model, unchanged. Empty  no first layer that can saturate -> nothing is measured.
/// Errors  those of running; Interrupted.
[[nodiscard]] Uint8Weights try_uint8_weights(const Model& model, const PlacementPlan& plan,
                                             const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                             const DataSource& source, const RunSettings& settings);

}  // namespace detent
