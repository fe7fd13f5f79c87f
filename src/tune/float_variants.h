#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/choose_ranges.h"
#include "model/graph/value_shapes.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "place/plan/measured_facts.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"
#include "rewrite/rewrite.h"
#include "rewrite/weight_memo.h"

namespace detent {

/// Names of nodes that stay float, with the reason that the plan gives for each.
using KeptFloat = std::map<std::string, std::string>;

/// A part of a plan that can stay float by itself.
struct FloatChoice {
  NodeId node{};
  int64_t macs = 0;  ///< of all layers that are float when this one is; weights alone: elements of its weight
};

/// Quantized variants of one prepared model that differ in the nodes that stay float, or get 16-bit activations where
/// the engine has no float kernels (Target::has_wide_islands). Each is the model that `quantize`
/// would write with those nodes excluded: the rules make every plan, so no fusion is split.
class FloatVariants {
 public:
  virtual ~FloatVariants() = default;

  [[nodiscard]] virtual const Graph& graph() const = 0;
  /// Makes the plan with these nodes kept float besides those that the user excludes.
  [[nodiscard]] virtual PlacementPlan plan(const KeptFloat& kept) const = 0;
  /// Measures in one pass what the patches of these plans need.
  /// Errors  those of measuring.
  virtual void measure_for(std::span<const PlacementPlan> /*plans*/) {}
  /// Makes the patch from the float model to the model of the plan.
  /// Errors  those of measuring and rewriting.
  [[nodiscard]] virtual GraphPatch patch(const PlacementPlan& plan) = 0;
  /// Returns a copy of the float model with that patch.
  [[nodiscard]] virtual Model model(const PlacementPlan& plan) = 0;
  /// The choices in node order, without nodes that the user includes, which cannot be kept float.
  [[nodiscard]] virtual const std::vector<FloatChoice>& choices() const = 0;
  /// True where choices get 16-bit activations instead of floats.
  [[nodiscard]] virtual bool widens() const { return false; }
  /// The name of the type of codes: "INT8".
  [[nodiscard]] virtual std::string_view codes() const = 0;
  /// The sum that FloatChoice::macs is a share of, layers that stay float included.
  [[nodiscard]] virtual int64_t macs() const = 0;
  /// Makes the plan with only this choice quantized.
  [[nodiscard]] virtual PlacementPlan alone(const FloatChoice& choice) const;
  /// Makes the plan with only this choice float.
  [[nodiscard]] PlacementPlan all_but(const FloatChoice& choice) const;

 protected:
  FloatVariants() = default;
  FloatVariants(const FloatVariants&) = default;
  FloatVariants& operator=(const FloatVariants&) = default;
};

/// Variants with pairs on activations: the one way from nodes that are treated otherwise to the model that `quantize`
/// would write. Ranges and weights are found once for all. Choices are all INT8 layers, and operators that read pairs
/// without an INT8 layer (the Mul of a squeeze-and-excite block, products of two activations). Its arguments must
/// outlive it.
class PairVariants final : public FloatVariants {
 public:
  /// measured  facts that hold for every variant
  PairVariants(const Model& model, const Target& target, PlacementRequest placement, ValueShapes shapes,
               const RewriteOptions& format, RangeBook& ranges, MeasuredFacts measured = {});

  [[nodiscard]] const Graph& graph() const override { return graph_; }
  [[nodiscard]] PlacementPlan plan(const KeptFloat& kept) const override { return plan_with(kept_as(), kept); }
  /// Makes the plan with these facts besides those that hold for every variant.
  [[nodiscard]] PlacementPlan plan_with(KeptFloat MeasuredFacts::*kind, const KeptFloat& nodes) const;
  /// The facts that hold nodes kept float, or with 16 bits.
  [[nodiscard]] KeptFloat MeasuredFacts::*kept_as() const {
    return widens() ? &MeasuredFacts::wide : &MeasuredFacts::costly;
  }
  /// The plan without a change.
  [[nodiscard]] const PlacementPlan& whole() const { return whole_; }
  [[nodiscard]] const Model& float_model() const { return model_; }
  [[nodiscard]] const RewriteOptions& format() const { return format_; }
  [[nodiscard]] RangeBook& ranges() { return ranges_; }
  void measure_for(std::span<const PlacementPlan> plans) override { ranges_.measure_for(plans); }
  [[nodiscard]] GraphPatch patch(const PlacementPlan& plan) override;
  [[nodiscard]] Model model(const PlacementPlan& plan) override;
  [[nodiscard]] const std::vector<FloatChoice>& choices() const override;
  [[nodiscard]] std::string_view codes() const override { return name_of(placement_.type); }
  [[nodiscard]] int64_t macs() const override { return whole_.coverage.macs; }
  [[nodiscard]] bool widens() const override { return placement_.type == CodeType::Int8 && target_.has_wide_islands(); }
  /// Takes the choice's part of the whole plan where the rules leave it float without quantized neighbours. With
  /// widens() takes its activations only, because weights have 8 bits in both.
  [[nodiscard]] PlacementPlan alone(const FloatChoice& choice) const override;

 private:
  [[nodiscard]] std::vector<FloatChoice> find_choices() const;
  [[nodiscard]] bool is_quantized(const PlacementPlan& plan, NodeId node) const;

  const Model& model_;
  const Graph& graph_;
  const Target& target_;
  PlacementRequest placement_;
  MeasuredFacts measured_;
  ValueShapes shapes_;
  const RewriteOptions& format_;
  RangeBook& ranges_;
  WeightMemo weights_;
  PlacementPlan whole_;
  mutable std::optional<std::vector<FloatChoice>> choices_ = std::nullopt;  // found when they are asked for
};

}  // namespace detent
