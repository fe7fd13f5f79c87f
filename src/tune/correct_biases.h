#pragma once

#include <map>

#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "detent/reports/equalize_report.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

struct BiasCorrection {
  GraphPatch patch;  ///< new biases of the float model; empty when they were not kept. It changes no node and no value
  BiasCorrectionReport report;
};

/// Sequential bias correction: for each quantized layer in execution order, what its output's channels are off on
/// average in the network quantized so far (later layers cannot matter) goes into its bias. The next layer is measured
/// with that. Means are over up to 64 samples of `source`; up to 32 others decide (SampleSplit). Kept where
/// accept_change() says so of the models as they would be written: where the SQNR rises by more than the standard error
/// of the rise, and the worst samples and the agreement on classes do not fall.
/// Empty   fewer than 16 samples, or no
/// layer with a bias -> nothing is measured and the report says why.
///
/// model   prepared float model, unchanged. Layers without a bias of their own, or with one that others read too, are
/// left alone. weights  constants that the quantized network has instead of the model's (round_weights); no bias among
/// them.
/// Errors  InvalidOption without data; those of running; Interrupted.
/// Source  Nagel et al., "Data-Free
/// Quantization Through Weight Equalization and Bias Correction", 2019, section 4.2 and
///         appendix D ("empirical"), layer by layer.
[[nodiscard]] BiasCorrection correct_biases(const Model& model, const PlacementPlan& plan,
                                            const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                            const DataSource* source, const RunSettings& settings,
                                            const GraphPatch& weights = {});

}  // namespace detent
