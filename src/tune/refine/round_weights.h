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

/// The gain of rounding weights by inputs. SQNRs are at the worst output, in dB.
struct WeightRoundingReport : MeasuredChange {
  size_t weights = 0;  ///< with other codes than the nearest
};

struct WeightRounding {
  /// By constant of the patch: the scales of its codes, where products saturate in pairs
  /// (RewriteOptions::weight_scales).
  std::map<std::string, std::vector<float>> scales;
  GraphPatch patch;  ///< new weights of the float model; empty when they were not kept. Replaces constants only
  WeightRoundingReport report;
};

/// Rounds the weights of each quantized layer to the codes that keep the layer's outputs (round_by_moments()). The
/// patch holds the rounded weights as floats: rewriting the patched model gives them their scales and exactly these
/// codes. With products that saturate in pairs (WeightOptions::safe_pairs), scale and codes of a row are chosen
/// together: of five scales, from the safe one of the nearest codes down to that of the largest weight, the one that
/// costs least with safe pairs.
///
/// Inputs are those of the quantized network with nearest codes: up to 128 positions of each batch, of up to 64 samples
/// beside the deciding ones. Kept where the SQNR of the worst output on the deciding samples rises; where there are not
/// enough other samples, half decide. Fewer than 8 samples -> nothing is done.
///
/// model   prepared float model, unchanged. Left alone: weights that a float layer reads too, or two layers along
///         different axes, weights of more than 8192 columns, MatMuls whose weight is not a matrix, and
///         (WeightRange::Mse) weights that would get another scale.
/// Memory  128 MB of inputs at a time, or one layer's if that is more, and twice 4 * columns^2 bytes for the largest
///         layer (all threads together, layers below 1024 columns: twice 4 MB a thread).
/// Errors  InvalidOption without data; those of running; Interrupted. Threads change nothing.
[[nodiscard]] WeightRounding round_weights(const Model& model, const PlacementPlan& plan,
                                           const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                           const DataSource* source, const RunSettings& settings);

}  // namespace detent
