#pragma once

#include "detent/data_source.h"
#include "detent/run_settings.h"
#include "evaluate/evaluate_models.h"
#include "evaluate/side_by_side.h"

namespace detent {

/// The errors that a pass over the samples found, and the time it took.
struct SideBySideEvaluation {
  Evaluation evaluation;     ///< as evaluate_models() gives it for the same variants, bit for bit
  double seconds = 0;        ///< spent running all models; workers added up
  double float_seconds = 0;  ///< the float model's part of that
};

/// Runs the variants, to which everything was added, on each sample of `source` and compares the values `names` with the
/// float model's. Sums are added in the order of the source, so threads change nothing.
/// by_batch  keep the errors of every batch too (Evaluation::by_batch).
/// judge     nullptr or without labels, masks and tokens: no task metrics.
/// Errors  those of TaskMetric::score, reading and running; InvalidData when no sample could be read; Interrupted.
[[nodiscard]] SideBySideEvaluation evaluate_side_by_side(ModelsSideBySide& variants,
                                                         const std::vector<std::string>& names,
                                                         const DataSource& source, const RunSettings& settings,
                                                         std::string_view task, bool by_batch = false,
                                                         const TaskMetric* judge = nullptr);

}  // namespace detent
