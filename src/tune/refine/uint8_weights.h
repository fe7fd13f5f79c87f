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

/// Constants to write as UINT8 codes, and their gain. SQNRs are at the worst output, in dB.
struct Uint8Weights : MeasuredChange {
  std::set<std::string> names;  ///< empty: none
  size_t layers = 0;            ///< number of layers that were tried
};

/// Tries UINT8 weights in the first layers of the graph, which read no other layer's values. Products of UINT8 and
/// UINT8 never saturate, so the scales need not be raised (RewriteOptions::Saturation::Avoided). They take 1.25 to 1.4
/// times as long; first layers are a small part of a network and suffer most. Kept where the SQNR rises by at least 0.1
/// dB on up to 32 samples. No first layer that can saturate -> nothing is measured.
///
/// model   prepared float model, unchanged.
/// Errors  those of running; Interrupted.
[[nodiscard]] Uint8Weights try_uint8_weights(const Model& model, const PlacementPlan& plan,
                                             const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                             const DataSource& source, const RunSettings& settings);

}  // namespace detent
