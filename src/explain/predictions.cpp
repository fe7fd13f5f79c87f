#include "explain/predictions.h"

#include <algorithm>

namespace detent {

ExplainReport::Predictions judge_predictions(const std::vector<PredictedNode>& nodes,
                                             std::vector<ExplainReport::Layer>& rows) {
  ExplainReport::Predictions predictions;
  for (const auto& [name, int8] : nodes) {
    bool found = false;
    for (ExplainReport::Layer& row : rows) {
      if (row.kind != "layer" || std::ranges::find(row.nodes, name) == row.nodes.end()) continue;
      found = true;
      if (row.arithmetic == "unknown") continue;
      row.predicted = int8 ? "int8" : "float";
      row.right = int8 == (row.arithmetic == "int8");
      ++predictions.layers;
      predictions.right += row.right;
    }
    if (!found) predictions.missing.push_back(name);
  }
  return predictions;
}

void judge_outputs(const std::vector<PredictedOutput>& nodes, std::vector<ExplainReport::Layer>& rows,
                   ExplainReport::Predictions& predictions) {
  for (const auto& [name, codes] : nodes)
    for (ExplainReport::Layer& row : rows) {
      if (row.kind != "layer" || std::ranges::find(row.nodes, name) == row.nodes.end()) continue;
      if (row.arithmetic != "int8" || row.output == "unknown") continue;
      row.predicted_output = codes ? "int8" : "float";
      ++predictions.outputs;
      predictions.outputs_right += codes == (row.output == "int8");
    }
}

void judge_quantizers(const std::vector<std::string>& nodes, std::vector<ExplainReport::Layer>& rows,
                      ExplainReport::Predictions& predictions) {
  const auto holds = [](const ExplainReport::Layer& row, const std::string& node) {
    return std::ranges::any_of(row.nodes, [&node](const std::string& name) {
      return name == node || name.starts_with(node + "_clone_");  // a quantizer behind a Concat moves to its inputs
    });
  };
  for (ExplainReport::Layer& row : rows) {
    if (row.kind != "quantize") continue;
    row.right = std::ranges::any_of(nodes, [&](const std::string& node) { return holds(row, node); });
    row.predicted = row.right ? "quantize" : "folded";
  }
  predictions.quantizers = nodes.size();
  for (const std::string& node : nodes) {
    const bool found =
        std::ranges::any_of(rows, [&](const auto& row) { return row.kind == "quantize" && holds(row, node); });
    predictions.quantizers_right += found;
    if (!found) predictions.folded.push_back(node);
  }
}

}  // namespace detent
