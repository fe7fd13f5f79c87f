#pragma once

#include <map>

#include "detent/data_source.h"
#include "detent/equalize_report.h"
#include "detent/qparams.h"
#include "detent/run_settings.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

struct BiasCorrection {
  GraphPatch patch;  ///< new biases of the float model; empty when they were not kept. It changes no node and no value
  BiasCorrectionReport report;
};

/// Sequential bias correction: for each quantized layer in execution order, what its output's channels are off on average in the
/// network quantized so far (later layers cannot matter) goes into its bias. The next layer is measured with that. Means are
/// over 32 samples of `source` (those of --calibrator auto). Kept where the mean SQNR of the outputs on these samples rises.
///
/// model   prepared float model, unchanged. Layers without a bias of their own, or with one that others read too, are left alone.
/// Errors  InvalidOption without data; those of running; Interrupted.
/// Source  Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction", 2019, section 4.2 and
///         appendix D ("empirical"), layer by layer.
[[nodiscard]] BiasCorrection correct_biases(const Model& model, const PlacementPlan& plan,
                                            const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                            const DataSource* source, const RunSettings& settings);

}  // namespace detent
