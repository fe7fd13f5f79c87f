#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/range_book.h"
#include "detent/placement_options.h"
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
  int64_t macs = 0;  ///< of every layer that is float as well when this one is
};

/// Quantized variants of one prepared model that differ in what stays float. Each is what `quantize` would write with
/// those nodes excluded: plans by the rules, so never half a fusion. What it looks at must outlive it.
class FloatVariants {
 public:
  FloatVariants(const Model& model, const Target& target, PlacementOptions placement, ValueShapes shapes,
                const RewriteOptions& format, RangeBook& ranges);

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const RewriteOptions& format() const { return format_; }
  [[nodiscard]] RangeBook& ranges() { return ranges_; }
  /// The plan with these nodes kept float beside what the user excludes.
  [[nodiscard]] PlacementPlan plan(const KeptFloat& kept) const;
  /// The pairs of a plan. Errors  those of measuring and rewriting.
  [[nodiscard]] GraphPatch patch(const PlacementPlan& plan);
  /// A copy of the float model with the pairs of a plan.
  [[nodiscard]] Model model(const PlacementPlan& plan);

  /// The nodes that are quantized for their own sake: every INT8 layer, and operators that carry pairs even where no layer is INT8
  /// (the Mul of a squeeze-and-excite block, products of two activations). In node order; without those that the user
  /// includes, which cannot be kept float.
  [[nodiscard]] const std::vector<FloatChoice>& choices() const { return choices_; }
  /// Only this one quantized: all other choices kept float. Where the rules then leave it float too, for want of quantized
  /// neighbours, what it needs of the whole plan (restricted_to).
  [[nodiscard]] PlacementPlan alone(const FloatChoice& choice) const;
  /// Only this one kept float.
  [[nodiscard]] PlacementPlan all_but(const FloatChoice& choice) const;

 private:
  void find_choices();
  [[nodiscard]] bool is_quantized(const PlacementPlan& plan, NodeId node) const;

  const Model& model_;
  const Graph& graph_;
  const Target& target_;
  PlacementOptions placement_;
  ValueShapes shapes_;
  const RewriteOptions& format_;
  RangeBook& ranges_;
  WeightMemo weights_;
  PlacementPlan whole_;
  std::vector<FloatChoice> choices_;
};

}  // namespace detent
