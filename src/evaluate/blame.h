#pragma once

#include <map>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

struct Blame {
  double sqnr_db = 0;  ///< of the worst output with every pair
  std::vector<VerdictReport::Blame> values;
};

/// Measures which quantized values ruin the outputs: of the values that their own pair distorts most, what the
/// worst output gains when that value alone has no pair; most first. Biases are taken as float.
/// Errors  those of measure_value_errors, values_to_judge and evaluate_side_by_side.
[[nodiscard]] Blame find_blame(const Model& model, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                               RewriteOptions format, const DataSource& source, const RunSettings& settings);

}  // namespace detent
