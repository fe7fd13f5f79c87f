#pragma once

#include <string>
#include <vector>

#include "datasets/sample_request.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "evaluate/decoded_texts.h"
#include "evaluate/task_metric.h"
#include "model/model.h"
#include "tune/float_variants.h"

namespace detent {

/// The cost of each quantized layer at the outputs, in two measurements.
struct LayerErrors {
  struct Choice {
    FloatChoice what;
    ErrorReport alone;                            ///< only this one quantized
    ErrorReport all_but;                          ///< only this one float; empty with LayerVariants::Alone
    TaskSums alone_task = {}, all_but_task = {};  ///< with a TaskMetric
  };
  std::vector<Choice> choices;  ///< FloatVariants::choices(), sorted by: SQNR alone, gain of leaving it float, node
  ErrorReport all;              ///< everything quantized
  TaskSums fp32_task, all_task;
  size_t samples = 0, skipped = 0;
  size_t variants = 0;
  double seconds = 0;        ///< of running, summed over workers
  double float_seconds = 0;  ///< of the float model: seconds / float_seconds is the cost in plain runs
};

/// The variants to measure of each choice.
enum class LayerVariants { Both, Alone };

/// Measures at the values `names` on every sample of `source`, several at once where that is faster (samples_together).
/// Every variant runs by itself, fed by its own states, where `request` cuts samples into steps.
/// Values that the variants quantize and that have no histogram yet are calibrated first. The result does not depend on
/// the number of threads. Memory: see ModelsSideBySide. Nothing quantized -> no choices, `all` of identical outputs.
/// Errors  those of evaluate_side_by_side, evaluate_models and of calibrating; InvalidOption when no output can be
/// compared.
[[nodiscard]] LayerErrors measure_layer_errors(FloatVariants& variants, const Model& model,
                                               const std::vector<std::string>& names, const DataSource& source,
                                               const RunSettings& settings, const TaskMetric* task = nullptr,
                                               LayerVariants asked = LayerVariants::Both,
                                               const SampleRequest* request = nullptr);

/// Fills the word errors of the float model, of everything quantized and of the choices, in their order, both variants
/// of each. Returns false where the work ended early (EarlyEnd): the choices that were not reached have none.
/// variants  that `errors` were measured of, with LayerVariants::Both
/// Errors    those of DecodedTexts::errors_of and of FloatVariants::model.
[[nodiscard]] bool add_word_errors(LayerErrors& errors, FloatVariants& variants, const DecodedTexts& texts);

}  // namespace detent
