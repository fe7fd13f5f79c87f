#pragma once

#include <vector>

#include "place/weights_plan.h"
#include "rewrite/block_inserter.h"
#include "rewrite/tied_codes.h"
#include "tune/float_variants.h"

namespace detent {

/// Quantizes the weights of the plan to the nearest codes, each value once; scales have the type of the weight. Weights
/// that are no matrices get channel_codes(). Tables
/// get INT8 codes: exact_codes() where possible, else column_codes() where the plan allows them, else none.
/// Errors  those of quantize_blocks, with the weight's name. Threads change nothing.
[[nodiscard]] BlockedWeights quantize_weights(const Graph& graph, const PlacementPlan& plan, const BlockFormat& format,
                                              size_t threads);

/// Puts these codes as the plan's weights and tables into the model that the plan is of. Returns the tables that take
/// their rows of the codes of a product (share_tied_codes()), so that the file has no codes of theirs.
std::vector<TiedTable> insert_blocks(Model& model, const PlacementPlan& plan, const BlockedWeights& weights,
                                     const BlockFormat& format);

/// Returns a copy of the model with them.
[[nodiscard]] Model with_blocks(const Model& model, const PlacementPlan& plan, const BlockedWeights& weights,
                                const BlockFormat& format);

/// Variants in which only weights are quantized. Choices are the layers with quantized weights, and the first readers
/// of tables that codes round; a weight has the same codes in every variant. Its arguments must outlive it.
class BlockVariants final : public FloatVariants {
 public:
  /// model    prepared float model (opset_for, weights in rows).
  /// weights  of every value that is quantized in the plan with nothing kept float.
  BlockVariants(const Model& model, const Target& target, NodeChoice nodes, const BlockFormat& format,
                const BlockedWeights& weights);

  [[nodiscard]] const Graph& graph() const override { return graph_; }
  [[nodiscard]] PlacementPlan plan(const KeptFloat& kept) const override;
  [[nodiscard]] GraphPatch patch(const PlacementPlan& plan) override;
  [[nodiscard]] Model model(const PlacementPlan& plan) override;
  [[nodiscard]] const std::vector<FloatChoice>& choices() const override { return choices_; }
  [[nodiscard]] std::string_view codes() const override { return format_.codes == DataType::Int4 ? "INT4" : "INT8"; }
  [[nodiscard]] int64_t macs() const override { return elements_; }

 private:
  const Model& model_;
  const Graph& graph_;
  const Target& target_;
  NodeChoice nodes_;
  const BlockFormat& format_;
  const BlockedWeights& weights_;
  std::vector<FloatChoice> choices_;
  int64_t elements_ = 0;
};

/// Returns the facts of the format that placement rules need.
[[nodiscard]] WeightBlocks blocks_of(const BlockFormat& format);

}  // namespace detent
