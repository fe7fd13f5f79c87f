#pragma once

#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "evaluate/task_metric.h"
#include "model/model.h"
#include "tune/float_variants.h"

namespace detent {

/// The cost of each quantized layer at the outputs, by two measurements.
struct LayerErrors {
  struct Choice {
    FloatChoice what;
    ErrorReport alone;                            ///< only this one quantized
    ErrorReport all_but;                          ///< only this one float; nothing where it was not asked for
    TaskSums alone_task = {}, all_but_task = {};  ///< where a TaskMetric was given
  };
  std::vector<Choice> choices;  ///< those of FloatVariants::choices(), worst first: by SQNR alone, of equals by the
                                ///< gain of leaving it float, then in node order
  ErrorReport all;              ///< everything quantized
  TaskSums fp32_task, all_task;
  size_t samples = 0, skipped = 0;
  size_t variants = 0;
  double seconds = 0;        ///< running, workers added up
  double float_seconds = 0;  ///< the float model alone: seconds / float_seconds is the cost in plain runs
};

/// What is measured of every choice. Alone: half of it, what costs of layers beside each other need.
enum class LayerVariants { Both, Alone };

/// Measures on every sample of `source`, several at once where that is faster (samples_together), at the values
/// `names`; values that these variants quantize and that were not calibrated yet are calibrated first. Same result for
/// any number of threads. Memory: see ModelsSideBySide.
/// Empty   nothing is quantized -> no choices, `all` of identical
/// outputs.
/// Errors  those of evaluate_side_by_side and of calibrating; InvalidOption when no output can be compared.
[[nodiscard]] LayerErrors measure_layer_errors(FloatVariants& variants, const Model& model,
                                               const std::vector<std::string>& names, const DataSource& source,
                                               const RunSettings& settings, const TaskMetric* task = nullptr,
                                               LayerVariants asked = LayerVariants::Both);

}  // namespace detent
