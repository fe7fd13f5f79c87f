#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "calibrate/range_book.h"
#include "detent/options/placement_options.h"
#include "model/graph/value_shapes.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"
#include "rewrite/weight_memo.h"

namespace detent {

/// Node names that stay float, with the reason that the plan gives for each.
using KeptFloat = std::map<std::string, std::string>;

/// A part of a plan that can stay float by itself, and what INT8 then loses.
struct FloatChoice {
  NodeId node = kNoNode;
  int64_t macs = 0;  ///< of every layer that is float as well when this one is; weights alone: elements of its weight
};

/// Quantized variants of one prepared model that differ in what stays float. Each is what `quantize` would write with
/// those nodes excluded: plans by the rules, so never half a fusion.
class FloatVariants {
 public:
  virtual ~FloatVariants() = default;

  [[nodiscard]] virtual const Graph& graph() const = 0;
  /// The plan with these nodes kept float beside what the user excludes.
  [[nodiscard]] virtual PlacementPlan plan(const KeptFloat& kept) const = 0;
  /// Measures what patches of these plans need, in one pass.
  /// Errors  those of measuring.
  virtual void measure_for(std::span<const PlacementPlan> plans) = 0;
  /// What makes the float model that of the plan.
  /// Errors  those of measuring and rewriting.
  [[nodiscard]] virtual GraphPatch patch(const PlacementPlan& plan) = 0;
  /// A copy of the float model with that patch.
  [[nodiscard]] virtual Model model(const PlacementPlan& plan) = 0;
  /// What is quantized for its own sake, in node order; without what the user includes, which cannot be kept float.
  [[nodiscard]] virtual const std::vector<FloatChoice>& choices() const = 0;
  /// All that FloatChoice::macs counts, of layers that stay float too.
  [[nodiscard]] virtual int64_t macs() const = 0;
  /// Only this one quantized: all other choices kept float.
  [[nodiscard]] virtual PlacementPlan alone(const FloatChoice& choice) const;
  /// Only this one kept float.
  [[nodiscard]] PlacementPlan all_but(const FloatChoice& choice) const;

 protected:
  FloatVariants() = default;
  FloatVariants(const FloatVariants&) = default;
  FloatVariants& operator=(const FloatVariants&) = default;
};

/// Variants with pairs on activations. Choices are every INT8 layer, and operators that carry pairs even where no layer
/// is INT8 (the Mul of a squeeze-and-excite block, products of two activations). What it looks at must outlive it.
class PairVariants final : public FloatVariants {
 public:
  /// ruined  nodes that stay float in every variant (MeasuredFloat::ruined)
  PairVariants(const Model& model, const Target& target, PlacementOptions placement, ValueShapes shapes,
               const RewriteOptions& format, RangeBook& ranges, std::map<std::string, std::string> ruined = {});

  [[nodiscard]] const Graph& graph() const override { return graph_; }
  [[nodiscard]] PlacementPlan plan(const KeptFloat& kept) const override;
  void measure_for(std::span<const PlacementPlan> plans) override { ranges_.measure_for(plans); }
  [[nodiscard]] GraphPatch patch(const PlacementPlan& plan) override;
  [[nodiscard]] Model model(const PlacementPlan& plan) override;
  [[nodiscard]] const std::vector<FloatChoice>& choices() const override { return choices_; }
  [[nodiscard]] int64_t macs() const override { return whole_.coverage.macs; }
  /// Where the rules then leave it float too, for want of quantized neighbours, what it needs of the whole plan
  /// (restricted_to).
  [[nodiscard]] PlacementPlan alone(const FloatChoice& choice) const override;

 private:
  void find_choices();
  [[nodiscard]] bool is_quantized(const PlacementPlan& plan, NodeId node) const;

  const Model& model_;
  const Graph& graph_;
  const Target& target_;
  PlacementOptions placement_;
  std::map<std::string, std::string> ruined_;
  ValueShapes shapes_;
  const RewriteOptions& format_;
  RangeBook& ranges_;
  WeightMemo weights_;
  PlacementPlan whole_;
  std::vector<FloatChoice> choices_;
};

}  // namespace detent
