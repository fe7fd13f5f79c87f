#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "calibrate/choose_ranges.h"
#include "datasets/sample_request.h"
#include "detent/repair.h"
#include "model/model.h"
#include "pipeline/parts/identified_samples.h"
#include "place/engines/target.h"
#include "place/make_plan.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"
#include "repair/carried_scales.h"
#include "rewrite/rewrite.h"

namespace detent {

/// A file with pairs as a float model, the plan for the target, and the scales that the file's pairs give it.
/// The options and the target must outlive it.
struct RepairPlan {
  const RepairOptions& options;
  const Target& target;
  TrainedPairs trained;
  std::unique_ptr<IdentifiedSamples> source = nullptr;  ///< nullptr without data
  Model model;                                          ///< trained.model, prepared
  PlacementRequest placement;
  RewriteOptions format;
  /// Layers that are float in the file, values whose scale stays apart at a Concat, and values that have no scale and
  /// that no sample reaches.
  MeasuredFacts facts;
  PlacementPlan plan;
  std::map<ValueId, CarriedRange> carried;
  CarriedWeights weights;
  std::map<ValueId, Range> ranges = {};  ///< of every planned value; empty before find_ranges()
  size_t measured = 0;                   ///< values that got their range from data

  /// Reads the pairs and makes the plan. Layers that are float in the file stay float, weights alone as they are.
  /// Errors  InvalidModel for a file without pairs, or where only weights have some; InvalidOption for FP8 and a target
  ///         without it; those of preparing and open_samples.
  RepairPlan(const RepairOptions& given, const SampleRequest& data, const Target& engine, const Model& written);

  [[nodiscard]] const Graph& graph() const { return model.graph(); }
  /// Returns the values of the file that the plan counts as weights of their nodes, although no product reads them.
  [[nodiscard]] std::set<std::string> constant_weights() const;

  /// Fills the ranges; measures the values that no pair of the file says anything about.
  /// Errors  InvalidOption naming such values where there is no data; those of calibrate().
  void find_ranges();

 private:
  void choose_options(const Model& written);
  void make_plan(const ValueShapes& shapes);
  void carry();
  [[nodiscard]] bool leaves_unreached_float();
  [[nodiscard]] Calibration given_ranges() const;
  [[nodiscard]] bool is_known(ValueId value) const;
  [[nodiscard]] std::set<ValueId> lacking_values() const;
  void measure_values(const std::set<ValueId>& lacking, Calibration& calibration, const RangeChoice& choice);
};

}  // namespace detent
