#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "model/fold_batchnorm.h"
#include "model/model.h"
#include "place/placement_plan.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

fs::path shared_folder() {
  const char* named = std::getenv("DETENT_SHARED");
  return named ? fs::path(named) : fs::path(DETENT_SHARED_DEFAULT);
}

using EdgeKey = std::pair<std::string, int>;  // node name and slot

/// What Model-Optimizer decided: true for a pair. Edges it does not list are float.
std::map<EdgeKey, bool> read_reference(const fs::path& file) {
  const auto json = nlohmann::json::parse(std::ifstream(file));
  std::map<EdgeKey, bool> edges;
  for (const auto& edge : json.at("edges")) edges[{edge.at(1), edge.at(2)}] = edge.at(4) == "pair";
  return edges;
}

/// The policy of our own that explains a difference; empty when there is none.
std::string explain(const Graph& graph, const EdgeDecision& ours, bool theirs) {
  const Node& node = graph.node(ours.consumer);
  switch (traits_of(graph, node).kind) {
    case OpKind::Clip:
    case OpKind::HardSwish:
    case OpKind::HardSigmoid:
      if (!ours.pair) return "R2: Clip, HardSwish and HardSigmoid fuse like Relu (ours)";
      break;
    case OpKind::MaxPool:
      if (!ours.pair) return "R7: MaxPool needs no pair of its own (ours)";
      break;
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::ReduceMean:
    case OpKind::Resize: return "R8: pooling only between INT8 kernels (ours)";
    case OpKind::Add:
    case OpKind::Mul:
      if (ours.rule.starts_with("R2")) return "R2: x * HardSigmoid(x) is HardSwish and fuses like Relu (ours)";
      if (ours.rule.starts_with("R8") || (theirs && ours.rule == "-"))
        return "R8: elementwise only between INT8 kernels (ours)";
      break;
    case OpKind::Gemm:
      if (ours.rule.starts_with("R10"))
        return "R10: narrow Gemm; the reference records exclusions of convolutions only";
      break;
    case OpKind::MatMul:
      if (ours.rule.starts_with("R10"))
        return "R10: narrow MatMul; the reference records exclusions of convolutions only";
      if (ours.rule.starts_with("R9")) return "R9: products of activations stay float (ours)";
      break;
    default: break;
  }
  if (ours.rule.starts_with("R6")) return "R6: pairs around a ConvTranspose's activation (ours)";
  return "";
}

struct Comparison {
  int equal = 0, folded = 0;
  std::map<std::string, int> different;
  std::vector<std::string> unexplained;
};

Comparison compare(const Graph& graph, const PlacementPlan& plan, std::map<EdgeKey, bool> reference) {
  Comparison result;
  for (const EdgeDecision& ours : plan.edges) {
    const Node& node = graph.node(ours.consumer);
    const auto found = reference.find({node.name, ours.slot});
    const bool theirs = found != reference.end() && found->second;
    if (found != reference.end()) reference.erase(found);
    if (ours.pair == theirs) {
      result.equal += 1;
      continue;
    }
    const std::string why = explain(graph, ours, theirs);
    if (why.empty())
      result.unexplained.push_back(node.op_type + " '" + node.name + "' slot " + std::to_string(ours.slot) + ": ours " +
                                   (ours.pair ? "pair" : "float") + " (" + ours.rule + ": " + ours.reason + ")");
    else
      ++result.different[why];
  }
  // Edges of Resize's sizes and the like carry no data here; a node that is gone was a BatchNormalization.
  result.folded = static_cast<int>(reference.size());
  for (const auto& [key, pair] : reference) {
    const NodeId node = graph.find_node(key.first);
    if (node != kNoNode && traits_of(graph, graph.node(node)).kind != OpKind::Resize && pair)
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
  fold_batchnorms(model);
  const Graph& graph = model.graph();
  const PlacementPlan plan = make_placement_plan(graph, find_target("tensorrt"), {});
  const Comparison result = compare(graph, plan, read_reference(reference));
  std::cout << GetParam() << ": " << result.equal << " edges equal\n";
  for (const auto& [why, count] : result.different) std::cout << "  " << count << " different, " << why << "\n";
  for (const std::string& edge : result.unexplained) ADD_FAILURE() << edge;
}

INSTANTIATE_TEST_SUITE_P(Shared, ModelOptimizer,
                         testing::Values("shapes_unet__model_opset13", "shapes_unet__model_opset20_dynamo",
                                         "occupancy3d__model_opset13", "occupancy3d__model_opset20_dynamo",
                                         "cifar10_resnet18__model_opset17", "cifar10_efficientnet_b0__model_opset17",
                                         "imagenet_mobilenetv2__model_opset12",
                                         "imagenet_squeezenet1.1__model_opset12"),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace detent
