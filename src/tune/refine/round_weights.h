#pragma once

#include <map>
#include <string>

#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

/// What the rounding of weights gained. SQNRs are at the outputs, in dB.
struct WeightRoundingReport : MeasuredChange {
  size_t weights = 0;  ///< that were rounded otherwise than to the nearest codes
};

struct WeightRounding {
  /// By constant of the patch: the scales that its codes belong to, where products saturate in pairs
  /// (RewriteOptions::weight_scales).
  std::map<std::string, std::vector<float>> scales;
  GraphPatch patch;  ///< new weights of the float model; empty when they were not kept. It changes no node and no value
  WeightRoundingReport report;
};

/// Rounds the weights of each quantized layer to the codes that keep the layer's outputs (round_by_moments()). The
/// patch holds the rounded weights as floats: what rewrites the patched model gives them the scales they had and these
/// codes, to the bit. Where products saturate in pairs (WeightOptions::safe_pairs), scale and codes of a row are chosen
/// together: of five scales, from the safe one of the nearest codes down to that of the largest weight, the one that
/// costs least with codes whose pairs are safe.
///
/// Inputs are those that the quantized network has, with weights rounded to nearest: up to 128 positions of each batch,
/// of up to 64 samples beside the deciding ones. Kept where the SQNR of the worst output on the deciding samples rises.
/// Where there are not enough others, half of the samples decide: what fits the samples it was made of says nothing.
/// Fewer than 8 -> nothing is done.
///
/// model   prepared float model, unchanged. Left alone: weights that a float layer reads too, those that two layers
/// read along
///         different axes, weights of more than 8192 columns, MatMuls whose weight is no matrix, and (WeightRange::Mse)
///         weights that would get another scale.
/// Memory  128 MB of inputs at a time, or one layer's if that is more, and twice 4 * columns^2 bytes for the largest
/// layer (all
///         threads together, layers below 1024 columns: twice 4 MB a thread).
/// Errors  InvalidOption without data; those of running; Interrupted. Threads change nothing.
[[nodiscard]] WeightRounding round_weights(const Model& model, const PlacementPlan& plan,
                                           const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                           const DataSource* source, const RunSettings& settings);

}  // namespace detent
