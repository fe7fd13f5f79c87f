#pragma once

#include <functional>
#include <map>

#include "calibrate/calibration.h"
#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/sensitivity.h"
#include "evaluate/task_metric.h"
#include "model/graph_patch.h"
#include "pipeline/parts/chosen.h"
#include "tune/layer_errors.h"

namespace detent {

/// One quantized model whose layers are measured. Looks at things that must outlive the call.
struct MeasuredModel {
  const Prepared& prepared;
  const Measured& measured;
  const Calibrator& calibrator;
  const std::map<ValueId, Range>& ranges;  ///< of the plan's values
  const GraphPatch& constants;             ///< biases that were corrected; then the float network has them too
  const TaskMetric* task = nullptr;        ///< scores layers too; nullptr: by their errors only
};

/// Every value by itself, then every layer at the outputs, on `samples`.
/// Errors  InvalidOption when no output can be compared; those of measure_value_errors and measure_layer_errors.
[[nodiscard]] SensitivityReport sensitivity_of(const MeasuredModel& model, const DataSource& samples);

/// Fills what the layers were measured to cost, at the outputs and by score, and what was run for it.
/// share  of a layer, as the report has it.
void add_layer_errors(SensitivityReport& report, const LayerErrors& errors, const Graph& graph,
                      const PlacementPlan& plan, const std::function<double(const LayerDecision&)>& share);

}  // namespace detent
