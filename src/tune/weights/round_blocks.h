#pragma once

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "tune/weights/block_variants.h"

namespace detent {

/// The result of rounding blocks by the layers' inputs.
struct BlockRounding : MeasuredChange {
  BlockedWeights weights;    ///< to write: the rounded ones where they were kept
  size_t layers = 0;         ///< weights with other codes than the nearest
  size_t short_of_rows = 0;  ///< weights with more rows than input vectors: their moments have no full rank
};

/// Rounds weights to codes that keep the outputs of each layer (fit_blocks). Inputs are those behind the weights
/// rounded before: up to 256 positions of each batch, of up to 64 samples beside the deciding ones; tables are float.
/// Kept where the SQNR of the worst output on the deciding samples rises; where there are not enough other samples,
/// half decide. Fewer than 8 -> nothing is done.
///
/// model    prepared float model, unchanged. Left alone: weights of convolutions, those of more than 8192 rows, or
/// whose input cannot run. nearest  of every weight of the plan (quantize_weights). Memory   128 MB of inputs at a
/// time, or one layer's, and twice 4 * rows^2 bytes for the largest layer. Errors   those of running; Interrupted.
/// Threads change nothing.
[[nodiscard]] BlockRounding round_blocks(const Model& model, const PlacementPlan& plan, const BlockFormat& format,
                                         const BlockedWeights& nearest, const DataSource& source,
                                         const RunSettings& settings);

}  // namespace detent
