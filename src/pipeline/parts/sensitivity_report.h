#pragma once

#include <functional>
#include <map>

#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/sensitivity.h"
#include "evaluate/decoded_texts.h"
#include "evaluate/task_metric.h"
#include "model/graph_patch.h"
#include "pipeline/parts/chosen.h"
#include "tune/layer_errors.h"

namespace detent {

/// One quantized model whose layers are measured. Its members must outlive the call.
struct MeasuredModel {
  const Prepared& prepared;
  const Measured& measured;
  const Calibrator& calibrator;
  const std::map<ValueId, Range>& ranges;  ///< of the plan's values
  const GraphPatch& constants;             ///< corrected biases; the float network gets them too
  const SampleRequest& request;            ///< that the samples were opened by
  const TaskMetric* task = nullptr;        ///< scores layers too; nullptr: only errors
  const DecodedTexts* texts = nullptr;     ///< that score layers too; nullptr: none
};

/// Measures every value alone, then every layer at the outputs, on `samples`.
/// Errors  InvalidOption when no output can be compared; those of measure_value_errors and measure_layer_errors.
[[nodiscard]] SensitivityReport sensitivity_of(const MeasuredModel& model, const DataSource& samples);

/// Adds word errors where there are texts, and notes how this thread's work ended (note_end).
void finish_layer_errors(SensitivityReport& report, LayerErrors& errors, FloatVariants& variants,
                         const DecodedTexts* texts);

/// Fills the measured cost of the layers, at the outputs and by score, and the runs that it took.
/// share  of a layer for the report.
void add_layer_errors(SensitivityReport& report, const LayerErrors& errors, const Graph& graph,
                      const PlacementPlan& plan, const std::function<double(const LayerDecision&)>& share);

}  // namespace detent
