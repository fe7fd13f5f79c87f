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
  GraphPatch patch;  ///< new biases of the float model; empty when they were not kept. Replaces constants only
  BiasCorrectionReport report;
};

/// Corrects biases layer by layer in execution order: adds to each bias the mean error of the layer's output channels
/// in the network as corrected so far. Means are over up to 64 samples of `source`; up to 32 others decide
/// (SampleSplit). Keeps the result where accept_change() accepts the written models and the SQNR rises by more than its
/// standard error. Fewer than 16 samples, or no layer with a bias -> nothing is measured and the report says why.
///
/// model    prepared float model, unchanged. A layer is skipped when its bias is not constant or is read by others too.
/// weights  constants that the quantized network has instead of the model's (round_weights); no bias among them.
/// Errors   InvalidOption without data; those of running; Interrupted.
/// Source   Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction", 2019, section 4.2
///          and appendix D ("empirical"), layer by layer.
[[nodiscard]] BiasCorrection correct_biases(const Model& model, const PlacementPlan& plan,
                                            const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                            const DataSource* source, const RunSettings& settings,
                                            const GraphPatch& weights = {});

}  // namespace detent
