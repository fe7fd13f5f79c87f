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

/// A place of reformats: nodes whose names may stand in the name of the reformat.
struct PredictedPlace {
  std::vector<std::string> nodes;  ///< the float layer first; never empty
  std::string reason;
};

/// Keeps the fusions whose node and Conv some layer names, each with whether the prediction is right.
void judge_fusions(std::vector<ExplainReport::Predictions::Fusion> fusions,
                   const std::vector<ExplainReport::Layer>& rows, ExplainReport::Predictions& predictions);

/// Counts the reformats at each place, and elsewhere. A reformat counts at the first place that its name mentions.
void judge_reformats(const std::vector<PredictedPlace>& places, const std::vector<ExplainReport::Layer>& rows,
                     ExplainReport::Predictions& predictions);

/// Looks for the copies in the engine, by the names of their values.
void judge_copies(std::vector<ExplainReport::Predictions::Copy> copies, const std::vector<ExplainReport::Layer>& rows,
                  ExplainReport::Predictions& predictions);

/// Does the same for quantizers: `groups` are those of the model that would be layers by themselves, each with the
/// quantizers of the same value, of which the engine keeps one.
void judge_quantizers(const std::vector<std::vector<std::string>>& groups, std::vector<ExplainReport::Layer>& rows,
                      ExplainReport::Predictions& predictions);

}  // namespace detent
