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

/// The options of `quantize-weights` for the weights.
struct BlockedRequest {
  const WeightFormat& format;
  const Target& target;
  const NodeChoice& nodes;
  const RunSettings& run;
};

/// A float model in the form that weights in blocks need, and the codes of its weights.
struct BlockedModel {
  Model model;  ///< float: the opset of the format, constants of products in rows
  BlockFormat format;
  PlacementPlan plan;
  BlockedWeights weights;                 ///< nearest codes, or those that keep the layers' outputs
  std::optional<BlockRounding> rounding;  ///< absent without data or weights; its own weights are moved out
  size_t rearranged = 0;                  ///< weights that were transposed, or read past a Transpose
};

/// Returns the format as the rewriter takes it.
/// Errors  InvalidOption for a block that engines do not know.
[[nodiscard]] BlockFormat block_format(const WeightFormat& format);

/// Prepares the model as it was read and quantizes its weights.
/// inputs  one batch to check changes of the graph on; empty: unchecked.
/// data    nullptr: nearest codes.
/// Errors  those of block_format, make_weights_plan, quantize_weights and round_blocks.
[[nodiscard]] BlockedModel make_blocked_model(Model model, const BlockedRequest& request, const DataSource* data,
                                              std::span<const Tensor> inputs);

/// Puts the codes into the model. Returns the tables that take their rows of the codes of a product.
std::vector<TiedTable> write_blocks(BlockedModel& blocked);

/// Returns the provenance for the file. facts  of the model as it was read.
[[nodiscard]] Provenance describe_blocked_origin(const BlockedModel& blocked, const BlockedRequest& request,
                                                 const ModelFacts& facts);

}  // namespace detent
