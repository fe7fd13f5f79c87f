#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

/// A quantized model whose values are asked for what they cost. Its members must outlive the question.
struct CostQuestion {
  const Model& model;  ///< float
  const PlacementPlan& plan;
  const std::map<ValueId, Range>& ranges;
  const RewriteOptions& format;
  const std::vector<std::string>& names;  ///< outputs to compare
  const DataSource& source;
  const RunSettings& settings;
  std::string_view task;  ///< the text of the progress line
};

/// The error at the outputs when a value alone has its pair, and all weights are float.
struct ValueCost {
  ValueId value{};
  double sqnr_db = 0;  ///< of the worst output
};

/// Finds the values, `most` at most, whose pairs alone leave the outputs the lowest SQNR, the lowest first; only those
/// below `below_db`. A value that keeps 40 dB in itself may cost more than one that keeps 20: what is behind it
/// magnifies the error.
///
/// Search  Groups of neighbours in the order of the graph get their pairs together; the worst are halved until each is
///         one value. Errors of values add up, so a group costs what its worst value does, or more.
/// Cost    8 groups and then, for each halving, up to twice `most`: 8 + 2 * most * log2(values / 8) partial runs of
///         each sample.
/// Errors  those of evaluate_side_by_side.
[[nodiscard]] std::vector<ValueCost> find_costly_values(const CostQuestion& question, size_t most, double below_db);

}  // namespace detent
