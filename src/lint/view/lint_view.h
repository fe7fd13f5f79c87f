#pragma once

#include <string>
#include <vector>

#include "lint/view/linted_file.h"
#include "lint/view/pair_view.h"

namespace detent {

/// A Q/DQ model as the findings look at it: its pairs, and what the engine makes of each layer.
class LintView : public PairView {
 public:
  /// The arguments of PairView, and the file that they were read from.
  LintView(const Graph& graph, const QdqReading& reading, const Target& target, const ValueShapes& shapes,
           const LintedFile& file);

  /// The file as it is written.
  [[nodiscard]] const LintedFile& file() const { return file_; }

  /// found() as a plan, with coverage.
  [[nodiscard]] const PlacementPlan& found_plan() const { return found_plan_; }
  /// The placement that the rules would make if the layers that are float in the file have to stay so and the others
  /// INT8. For TensorRT a layer between pairs counts as INT8 here whatever their numbers.
  [[nodiscard]] const PlacementDraft& given() const { return given_; }
  [[nodiscard]] const PlacementPlan& given_plan() const { return given_plan_; }
  /// Why the engine does not run the weighted op in INT8; empty when it does.
  [[nodiscard]] const std::string& obstacle(NodeId layer) const { return obstacles_[layer]; }

 private:
  void judge_layers();
  void apply_given_rules();

  const LintedFile& file_;
  PlacementOptions given_options_;
  PlacementDraft given_;
  PlacementPlan found_plan_, given_plan_;
  NodeMap<std::string> obstacles_;
};

}  // namespace detent
