#pragma once

#include "place/weights_plan.h"
#include "tune/float_variants.h"
#include "tune/weights/blocked_weights.h"

namespace detent {

/// Variants in which weights alone are codes. Choices are the layers whose weights are, and the first readers of tables
/// that codes round; every variant has the same codes for a weight. What it looks at must outlive it.
class BlockVariants final : public FloatVariants {
 public:
  /// model    prepared float model (opset_for, weights in rows).
  /// weights  of every value that the plan without anything kept float quantizes.
  BlockVariants(const Model& model, const Target& target, PlacementOptions placement, const BlockFormat& format,
                const BlockedWeights& weights);

  [[nodiscard]] const Graph& graph() const override { return graph_; }
  [[nodiscard]] PlacementPlan plan(const KeptFloat& kept) const override;
  void measure_for(std::span<const PlacementPlan> plans) override;
  [[nodiscard]] GraphPatch patch(const PlacementPlan& plan) override;
  [[nodiscard]] Model model(const PlacementPlan& plan) override;
  [[nodiscard]] const std::vector<FloatChoice>& choices() const override { return choices_; }
  [[nodiscard]] int64_t macs() const override { return elements_; }

 private:
  const Model& model_;
  const Graph& graph_;
  const Target& target_;
  PlacementOptions placement_;
  const BlockFormat& format_;
  const BlockedWeights& weights_;
  std::vector<FloatChoice> choices_;
  int64_t elements_ = 0;
};

/// What the rules need to know of the format.
[[nodiscard]] WeightBlocks blocks_of(const BlockFormat& format);

}  // namespace detent
