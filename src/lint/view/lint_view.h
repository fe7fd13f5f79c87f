#pragma once

#include <string>
#include <vector>

#include "lint/view/linted_file.h"
#include "lint/view/pair_view.h"

namespace detent {

/// A Q/DQ model for the findings: its pairs, and how the engine runs each layer.
class LintView : public PairView {
 public:
  /// Takes the arguments of PairView and the original file.
  LintView(const Graph& graph, const QdqReading& reading, const Target& target, const ValueShapes& shapes,
           const LintedFile& file);

  /// Returns the original file.
  [[nodiscard]] const LintedFile& file() const { return file_; }

  /// Returns found() as a plan, with coverage.
  [[nodiscard]] const PlacementPlan& found_plan() const { return found_plan_; }
  /// Returns the placement that the rules make when layers that are float in the file stay float and the others INT8.
  /// For TensorRT a layer between pairs counts as INT8 whatever their numbers.
  [[nodiscard]] const PlacementDraft& given() const { return given_; }
  [[nodiscard]] const PlacementPlan& given_plan() const { return given_plan_; }
  /// Returns why the engine does not run the weighted op in INT8; empty when it does.
  [[nodiscard]] const std::string& obstacle(NodeId layer) const { return obstacles_[layer]; }

 private:
  [[nodiscard]] std::string engine_obstacle(NodeId layer) const;
  void judge_layers();
  void apply_given_rules();

  const LintedFile& file_;
  PlacementRequest given_options_;
  PlacementDraft given_;
  PlacementPlan found_plan_, given_plan_;
  NodeMap<std::string> obstacles_;
};

}  // namespace detent
