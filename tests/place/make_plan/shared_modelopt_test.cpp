#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "model/model.h"
#include "ops/traits.h"
#include "place/engines/tensorrt/rules.h"
#include "place/make_plan.h"
#include "place/rules/rules.h"
#include "prepare/fold_batchnorm.h"
#include "prepare/plain_nodes.h"
#include "shared_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

using EdgeKey = std::pair<std::string, int>;  // node name and slot

/// Reads the decisions of Model-Optimizer: true for a pair. Edges it does not list are float.
std::map<EdgeKey, bool> read_reference(const fs::path& file) {
  const auto json = nlohmann::json::parse(std::ifstream(file));
  std::map<EdgeKey, bool> edges;
  for (const auto& edge : json.at("edges")) edges[{edge.at(1), edge.at(2)}] = edge.at(4) == "pair";
  return edges;
}

/// The decisions of both tools about an edge, and the facts around it.
struct Difference {
  const Graph& graph;
  const PlacementPlan& plan;
  const EdgeDecision& ours;
  bool theirs;
  bool theirs_elsewhere;  ///< their pair is on the same value for another reader
};

/// True for a layer that stays float by a policy of ours: R21, or R10 in three dimensions. In one and two R10 is
/// theirs.
bool keeps_float(const Graph& graph, const LayerDecision& layer) {
  if (layer.runs_on_codes()) return false;
  if (layer.rule == &rules::tensorrt::kFloatKernels) return true;
  const Tensor* weight = graph.constant(graph.node(layer.node).input(1));
  return layer.rule == &rules::tensorrt::kSmallLayers && weight && weight->shape().rank() == 5;
}

/// True when layers write the value, through operators without weights, and all of these stay float by keeps_float().
bool stands_behind_float_layers(const Difference& difference) {
  std::vector<ValueId> open{difference.ours.value};
  std::set<ValueId> seen(open.begin(), open.end());
  bool found = false;
  while (!open.empty()) {
    const Node* writer = difference.graph.producer(open.back());
    open.pop_back();
    if (!writer) continue;
    if (const LayerDecision* layer = difference.plan.find_layer(writer->id)) {
      if (!keeps_float(difference.graph, *layer)) return false;
      found = true;
      continue;
    }
    for (const MaybeValue input : writer->inputs)
      if (input && seen.insert(*input).second) open.push_back(*input);
  }
  return found;
}

/// Returns our policy that explains a difference (placement.md and src/decisions/place.md); empty when there is none.
std::string explain(const Difference& difference) {
  const EdgeDecision& ours = difference.ours;
  const Node& node = difference.graph.node(ours.consumer);
  const bool only_theirs = difference.theirs && !ours.reads_pair();
  const auto by = [&](RuleId rule) { return ours.rule == rule; };
  switch (traits_of(difference.graph, node).kind) {
    case OpKind::Clip:
    case OpKind::HardSwish:
    case OpKind::HardSigmoid:
      if (only_theirs && by(&rules::kFusedActivation)) return "R2: Clip, HardSwish and HardSigmoid fuse like Relu";
      break;
    case OpKind::MaxPool:
      if (only_theirs && by(&rules::tensorrt::kCommutingOps)) return "R7: MaxPool needs no separate pair";
      break;
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::ReduceMean:
      if (by(&rules::tensorrt::kPoolingAndElementwise)) return "R8: pooling between INT8 kernels only";
      break;
    case OpKind::Resize:
      if (only_theirs && by(&rules::tensorrt::kCommutingOps))
        return "R7: no pair between a Resize and the pair of what reads it";
      if (by(&rules::tensorrt::kPoolingAndElementwise)) return "R8: linear Resize between INT8 kernels only";
      break;
    case OpKind::Add:
      if (by(&rules::tensorrt::kPoolingAndElementwise)) return "R8: elementwise between INT8 kernels only";
      break;
    case OpKind::Mul:
      if (only_theirs && by(&rules::kFusedActivation)) return "R2: x * HardSigmoid(x) is HardSwish and fuses like Relu";
      if (by(&rules::tensorrt::kPoolingAndElementwise)) return "R8: elementwise between INT8 kernels only";
      break;
    case OpKind::Gemm:
    case OpKind::MatMul:
      if (only_theirs && by(&rules::tensorrt::kSmallLayers))
        return "R10: narrow product; the reference records exclusions of convolutions only";
      if (only_theirs && by(&rules::kAttentionAndNorms)) return "R9: products of activations stay float";
      if (only_theirs && by(&rules::tensorrt::kFusedAttention)) return "R20: attention stays float";
      break;
    case OpKind::LayerNorm:
      if (only_theirs && by(&rules::kAttentionAndNorms) && difference.theirs_elsewhere)
        return "R9: LayerNormalization beside a residual Add reads float (src/decisions/place.md)";
      break;
    default: break;
  }
  if (!difference.theirs && ours.reads_pair() && by(&rules::tensorrt::kDeconvolutionActivation))
    return "R6: pairs around a ConvTranspose's activation, or behind a 3-D layer";
  const LayerDecision* layer = difference.plan.find_layer(ours.consumer);
  if (only_theirs && layer && keeps_float(difference.graph, *layer))
    return "R10, R21: no INT8 kernel, or none that gains";
  if (only_theirs && !layer && stands_behind_float_layers(difference))
    return "R10, R21: no pair behind layers without an INT8 kernel that gains";
  return "";
}

struct Comparison {
  int equal = 0, folded = 0;
  std::map<std::string, int> different;
  std::vector<std::string> unexplained;
};

/// Returns the values that have a listed edge with another reader; the second pass of their tool may have removed that
/// pair.
bool listed_elsewhere(const Graph& graph, const EdgeDecision& ours, const std::map<EdgeKey, bool>& reference) {
  const auto& uses = graph.value(ours.value).uses;
  return std::ranges::any_of(uses, [&](const Use& use) {
    return use.node != ours.consumer && reference.contains({graph.node(use.node).name, use.slot});
  });
}

Comparison compare(const Graph& graph, const PlacementPlan& plan, const std::map<EdgeKey, bool>& all) {
  std::map<EdgeKey, bool> reference = all;
  Comparison result;
  for (const EdgeDecision& ours : plan.edges) {
    const Node& node = graph.node(ours.consumer);
    const auto found = reference.find({node.name, ours.slot});
    const bool theirs = found != reference.end() && found->second;
    if (found != reference.end()) reference.erase(found);
    if (ours.reads_pair() == theirs) {
      result.equal += 1;
      continue;
    }
    const std::string why = explain({graph, plan, ours, theirs, listed_elsewhere(graph, ours, all)});
    if (why.empty())
      result.unexplained.push_back(node.op_type + " '" + node.name + "' slot " + std::to_string(ours.slot) + ": ours " +
                                   (ours.reads_pair() ? "pair" : "float") + " (" + name_of(ours.rule) + ": " +
                                   ours.reason + ")");
    else
      ++result.different[why];
  }
  for (const auto& [key, pair] : all)
    if (const MaybeNode node = graph.find_node(key.first);
        node && !plan.find_edge(*node, key.second) && traits_of(graph, graph.node(*node)).kind != OpKind::Resize)
      result.unexplained.push_back("'" + key.first + "' slot " + std::to_string(key.second) + " is no data input here");
  // Edges such as Resize's sizes carry no data here; a missing node was a BatchNormalization.
  result.folded = static_cast<int>(reference.size());
  for (const auto& [key, pair] : reference) {
    const MaybeNode node = graph.find_node(key.first);
    if (node && traits_of(graph, graph.node(*node)).kind != OpKind::Resize && pair)
      result.unexplained.push_back("'" + key.first + "' slot " + std::to_string(key.second) + ": only theirs");
  }
  return result;
}

class ModelOptimizer : public testing::TestWithParam<std::string> {};

TEST_P(ModelOptimizer, DiffersByOurPoliciesOnly) {
  const std::string folder = GetParam().substr(0, GetParam().find("__"));
  const std::string file = GetParam().substr(GetParam().find("__") + 2);
  const fs::path reference = shared_folder() / "reference/peers/modelopt_placement" / (GetParam() + ".json");
  fs::path model_file = shared_folder() / "models" / folder / (file + ".onnx");
  if (!fs::exists(model_file)) model_file = shared_folder() / "exports" / folder / (file + ".onnx");
  if (!fs::exists(reference) || !fs::exists(model_file))
    GTEST_SKIP() << "missing " << reference << " or " << model_file;

  Model model = read_model(model_file);
  forward_constants(model);
  fold_batchnorms(model);
  const Graph& graph = model.graph();
  const PlacementPlan plan = make_placement_plan(graph, find_target("tensorrt"), {});
  const Comparison result = compare(graph, plan, read_reference(reference));
  int different = 0;
  for (const auto& [why, count] : result.different) different += count;
  std::cout << GetParam() << ": " << result.equal << " edges equal, " << different << " different\n";
  for (const auto& [why, count] : result.different) std::cout << "  " << count << "  " << why << "\n";
  for (const std::string& edge : result.unexplained) ADD_FAILURE() << edge;
}

/// Returns the names of the reference files, MODEL__FILE, or a name that says that the folder is absent.
std::vector<std::string> references() {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(shared_folder() / "reference/peers/modelopt_placement", absent))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names.empty() ? std::vector<std::string>{"no__reference"} : names;
}

INSTANTIATE_TEST_SUITE_P(Shared, ModelOptimizer, testing::ValuesIn(references()), [](const auto& one) {
  std::string name = one.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace detent
