#pragma once

#include <optional>
#include <span>

#include "detent/base/data_source.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/quantize_weights.h"
#include "detent/reports/provenance.h"
#include "model/model.h"
#include "pipeline/parts/plan_report.h"
#include "place/plan/placement_plan.h"
#include "tune/weights/round_blocks.h"

namespace detent {

/// The options of `quantize-weights` that concern the weights.
struct BlockedRequest {
  const WeightFormat& format;
  const Target& target;
  const PlacementOptions& placement;  ///< includes and excludes alone count
  const RunSettings& run;
};

/// A float model in the form that weights in blocks need, and what its weights become.
struct BlockedModel {
  Model model;  ///< float: the opset of the format, constants of products in rows
  BlockFormat format;
  PlacementPlan plan;
  BlockedWeights weights;                 ///< nearest codes, or those that keep what layers put out
  std::optional<BlockRounding> rounding;  ///< absent: no data, or no weight; its own weights are moved out
  size_t rearranged = 0;                  ///< weights that were transposed, or read past a Transpose
};

/// The format as the rewriter takes it.
/// Errors  InvalidOption for a block that engines do not know.
[[nodiscard]] BlockFormat block_format(const WeightFormat& format);

/// From the model as it was read to the codes of its weights.
/// inputs  of one batch, which changes of the graph are checked on; empty: unchecked.
/// data    nullptr: nearest codes.
/// Errors  InvalidOption for a block that engines do not know; those of make_weights_plan, quantize_weights and
/// round_blocks.
[[nodiscard]] BlockedModel make_blocked_model(Model model, const BlockedRequest& request, const DataSource* data,
                                              std::span<const Tensor> inputs);

/// Puts the codes into the model, which is float no more.
void write_blocks(BlockedModel& blocked);

/// What the file says of its making. facts: of the model as it came.
[[nodiscard]] Provenance describe_blocked_origin(const BlockedModel& blocked, const BlockedRequest& request,
                                                 const ModelFacts& facts);

}  // namespace detent
