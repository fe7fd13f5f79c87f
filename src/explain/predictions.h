#pragma once

#include <string>
#include <utility>
#include <vector>

#include "detent/explain.h"

namespace detent {

/// A weighted node of a model, and whether it would run in INT8.
struct PredictedNode {
  std::string name;
  bool int8 = false;
};

/// A weighted node that reads codes, and whether it would write codes.
struct PredictedOutput {
  std::string name;
  bool codes = false;
};

/// Sets `predicted` and `right` of the layers that hold the nodes, and counts them. Layers of unknown arithmetic are
/// not counted.
[[nodiscard]] ExplainReport::Predictions judge_predictions(const std::vector<PredictedNode>& nodes,
                                                           std::vector<ExplainReport::Layer>& rows);

/// Sets `predicted_output` of the layers that hold the nodes and compute in INT8, and counts them. Layers of unknown
/// output are not counted.
void judge_outputs(const std::vector<PredictedOutput>& nodes, std::vector<ExplainReport::Layer>& rows,
                   ExplainReport::Predictions& predictions);

/// Does the same for quantizers: `nodes` are those of the model that would be layers by themselves.
void judge_quantizers(const std::vector<std::string>& nodes, std::vector<ExplainReport::Layer>& rows,
                      ExplainReport::Predictions& predictions);

}  // namespace detent
