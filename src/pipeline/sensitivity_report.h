#pragma once

#include <map>

#include "calibrate/calibration.h"
#include "detent/calibrator.h"
#include "detent/data_source.h"
#include "detent/placement_options.h"
#include "detent/sensitivity.h"
#include "evaluate/task_metric.h"
#include "model/graph_patch.h"
#include "pipeline/setup.h"

namespace detent {

/// One quantized model whose layers are measured. Looks at things that must outlive the call.
struct MeasuredModel {
  const Setup& setup;
  const PlacementOptions& placement;
  const Calibration& calibration;
  const Calibrator& calibrator;
  const std::map<ValueId, Range>& ranges;  ///< of the plan's values
  const GraphPatch& constants;             ///< biases that were corrected; then the float network has them too
  const TaskMetric* task = nullptr;        ///< scores layers too; nullptr: by their errors only
};

/// Every value by itself, then every layer at the outputs, on `samples`.
/// Errors  InvalidOption when no output can be compared; those of measure_value_errors and measure_layer_errors.
[[nodiscard]] SensitivityReport sensitivity_of(const MeasuredModel& measured, const DataSource& samples);

}  // namespace detent
