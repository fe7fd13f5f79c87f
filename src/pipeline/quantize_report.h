#pragma once

#include "detent/detent.h"
#include "calibrate/calibration.h"
#include "pipeline/plan_report.h"
#include "prepare/prepare_model.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

/// The user's format options and choice of scales over the target's defaults.
/// Errors  InvalidOption when the target refuses the type of activations or biases.
[[nodiscard]] RewriteOptions rewrite_options(const FormatOptions& format, const PlacementOptions& placement,
                                             const Target& target);

/// Inputs of the first batch of the source, for verification and shapes; unreadable samples are passed over when the
/// settings say so.
[[nodiscard]] std::vector<Tensor> read_first_inputs(const DataSource& source, const Graph& graph,
                                                    const RunSettings& settings);

/// The parts of the report, filled as the pipeline goes.
[[nodiscard]] QuantizeReport start_report(const QuantizeOptions& options, const ModelFacts& original,
                                          const Preparation& preparation, const PlacementPlan& plan, const Graph& graph,
                                          const Calibration& calibration);
void add_values(QuantizeReport& report, const Graph& graph, const Rewrite& rewrite);
/// --calibrator auto: what it measured; the winner becomes the report's calibrator.
void add_measurement(QuantizeReport& report, CalibratorMeasurement measurement);
void finish_report(QuantizeReport& report, const QuantizeOptions& options, const Model& written, double seconds);

/// Writes the model, reads the file back, compares it with what was meant and checks its pairs against the plan.
/// Errors  CannotWrite; Interrupted before anything was written; Internal when it reads back different or its pairs are
/// not as promised: no file is left, and one that `overwrite` would have replaced stays where the model itself is wrong.
void write_checked(const Model& model, const std::filesystem::path& path, bool overwrite, const PromisedFile& promised,
                   const QdqCheckOptions& check);

}  // namespace detent
