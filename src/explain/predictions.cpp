#include "explain/predictions.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace detent {

namespace {

using Predictions = ExplainReport::Predictions;

bool holds(const ExplainReport::Layer& row, const std::string& node) {
  return std::ranges::find(row.nodes, node) != row.nodes.end();
}

/// True where a layer's name holds the node's name as a whole: "Conv_9" is not in "Conv_95".
bool mentions(std::string_view name, std::string_view node) {
  const auto is_letter = [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; };
  for (size_t at = name.find(node); at != std::string_view::npos; at = name.find(node, at + 1)) {
    const size_t end = at + node.size();
    const bool begins = at == 0 || !(is_letter(name[at - 1]) || name[at - 1] == '/' || name[at - 1] == '.');
    if (begins && (end == name.size() || !(is_letter(name[end]) || name[end] == '_' || name[end] == '/'))) return true;
  }
  return false;
}

}  // namespace

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

void judge_quantizers(const std::vector<std::vector<std::string>>& groups, std::vector<ExplainReport::Layer>& rows,
                      Predictions& predictions) {
  const auto is_one_of = [](const ExplainReport::Layer& row, const std::vector<std::string>& group) {
    return row.kind == "quantize" && std::ranges::any_of(row.nodes, [&group](const std::string& name) {
             return std::ranges::any_of(group, [&name](const std::string& node) {
               return name == node || name.starts_with(node + "_clone_");  // behind a Concat it moves to the inputs
             });
           });
  };
  for (ExplainReport::Layer& row : rows) {
    if (row.kind != "quantize") continue;
    row.right = std::ranges::any_of(groups, [&](const auto& group) { return is_one_of(row, group); });
    row.predicted = row.right ? "quantize" : "folded";
  }
  predictions.quantizers = groups.size();
  for (const auto& group : groups) {
    const bool found = std::ranges::any_of(rows, [&](const auto& row) { return is_one_of(row, group); });
    predictions.quantizers_right += found;
    if (!found) predictions.folded.push_back(group.front());
  }
}

void judge_fusions(std::vector<Predictions::Fusion> fusions, const std::vector<ExplainReport::Layer>& rows,
                   Predictions& predictions) {
  for (Predictions::Fusion& fusion : fusions) {
    bool conv = false, node = false, both = false;
    for (const ExplainReport::Layer& row : rows) {
      const bool has_conv = holds(row, fusion.conv), has_node = holds(row, fusion.node);
      conv |= has_conv, node |= has_node, both |= has_conv && has_node;
    }
    if (!conv || !node) continue;  // versions before 8.6 leave out names of activations
    fusion.right = both == fusion.fused;
    predictions.fusions.push_back(std::move(fusion));
  }
}

void judge_reformats(const std::vector<PredictedPlace>& places, const std::vector<ExplainReport::Layer>& rows,
                     Predictions& predictions) {
  for (const PredictedPlace& place : places)
    predictions.reformat_places.push_back({place.nodes.front(), place.reason, 0});
  for (const ExplainReport::Layer& row : rows) {
    if (row.kind != "reformat") continue;
    const auto place = std::ranges::find_if(places, [&row](const PredictedPlace& one) {
      return std::ranges::any_of(one.nodes, [&row](const std::string& node) { return mentions(row.name, node); });
    });
    ++(place == places.end() ? predictions.reformats_elsewhere
                             : predictions.reformat_places[static_cast<size_t>(place - places.begin())].reformats);
  }
}

void judge_copies(std::vector<Predictions::Copy> copies, const std::vector<ExplainReport::Layer>& rows,
                  Predictions& predictions) {
  for (Predictions::Copy& copy : copies)
    copy.right = std::ranges::any_of(rows, [&copy](const ExplainReport::Layer& row) {
      return row.kind == "copy" && row.name.find(copy.value) != std::string::npos;
    });
  predictions.copies = std::move(copies);
}

}  // namespace detent
