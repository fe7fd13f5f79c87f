#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "model/model.h"
#include "ops/traits.h"
#include "place/make_plan.h"
#include "shared_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

// The placement of onnxruntime's QNN configuration tool on 14 models, beside Detent's: every value with a pair and its
// type, every constant with codes, their type and axis. src/place/engines/qnn/README.md explains the kinds of
// differences.

const std::map<std::string, std::string>& model_files() {
  static const std::map<std::string, std::string> files{
      {"bccd_dfl", "models/bccd_dfl/model_opset17"},
      {"bccd_nmsfree", "models/bccd_nmsfree/model_opset17"},
      {"effnet", "models/cifar10_efficientnet_b0/model_opset17"},
      {"resnet18", "models/cifar10_resnet18/model_opset17"},
      {"squeezenet", "models/imagenet_squeezenet1.1/model_opset12"},
      {"bert_mini_legacy_opset14", "exports/bert_mini/legacy_opset14"},
      {"conv3d_mini_legacy_opset13", "exports/conv3d_mini/legacy_opset13"},
      {"fpn_mini_dynamo_opset18", "exports/fpn_mini/dynamo_opset18"},
      {"lstm_mini_legacy_opset14", "exports/lstm_mini/legacy_opset14"},
      {"mobilenetv3_small_legacy_opset13", "exports/mobilenetv3_small/legacy_opset13"},
      {"shufflenetv2_legacy_opset12", "exports/shufflenetv2/legacy_opset12"},
      {"style_mini_dynamo_opset18", "exports/style_mini/dynamo_opset18"},
      {"vit_mini_legacy_opset14", "exports/vit_mini/legacy_opset14"},
      {"yolo_mini_dynamo_opset18", "exports/yolo_mini/dynamo_opset18"},
  };
  return files;
}

/// A configuration of the tool, and Detent's options for it.
struct Form {
  std::string name;
  CodeType type = CodeType::Int8;
  bool per_tensor = true;
};

/// Codes by value, as text: "UINT8", "INT8 axis 0", "INT32"; no entry for a float.
using Codes = std::map<std::string, std::string>;

/// Returns the name in the model: the tool renames graph outputs.
std::string plain_name(std::string name) {
  static const std::string kOutput = "_QuantizeLinear_Input";
  if (name.ends_with(kOutput)) name.resize(name.size() - kOutput.size());
  return name;
}

Codes tool_codes(const nlohmann::json& pairs) {
  Codes codes;
  for (const auto& pair : pairs) {
    const bool constant = pair.contains("initializer");
    std::string text = pair.at("type");
    if (constant && pair.at("per_channel") && text != "INT32") text += " axis " + std::to_string(int{pair.at("axis")});
    codes[plain_name(pair.at(constant ? "initializer" : "value"))] = text;
  }
  return codes;
}

/// Returns the codes that the plan's file has.
Codes codes_of(const Graph& graph, const PlacementPlan& plan, const Form& form) {
  Codes codes;
  const auto name = [&](ValueId value) { return graph.value(value).name; };
  for (const ValueId value : plan.quantized_values()) codes[name(value)] = plan.about(value).wide ? "UINT16" : "UINT8";
  for (const WeightDecision& weight : plan.weights) {
    std::string& text = codes[name(weight.value)];
    text = form.per_tensor || weight.axis < 0 ? "UINT8" : "INT8";
    const bool channels = text == "INT8" && graph.constant(weight.value)->shape()[static_cast<size_t>(weight.axis)] > 1;
    if (channels) text += " axis " + std::to_string(weight.axis);
    const int own = traits_of(graph, graph.node(weight.node)).bias_slot;
    const Use bias = weight.bias.value_or(Use{weight.node, own});
    const MaybeValue value = graph.node(bias.node).input(bias.slot);
    if (graph.constant(value)) codes[name(*value)] = "INT32";
  }
  return codes;
}

struct CodesDifference {
  const Graph& graph;
  const Value& value;
  std::string ours, theirs;  ///< empty: float

  /// True where the value has readers and all are inputs of the operator in one of the slots.
  [[nodiscard]] bool read_only_by(const std::string& op, const std::set<int>& slots) const {
    return !value.uses.empty() && std::ranges::all_of(value.uses, [&](const Use& use) {
      return graph.node(use.node).op_type == op && slots.contains(use.slot);
    });
  }
  [[nodiscard]] bool is_read_by(const std::string& op) const {
    return std::ranges::any_of(value.uses, [&](const Use& use) { return graph.node(use.node).op_type == op; });
  }
  [[nodiscard]] bool is_written_by(const std::string& op) const {
    const Node* producer = graph.producer(value.id);
    return producer && producer->op_type == op;
  }
};

/// Returns the kind of a difference, as in the table of src/place/engines/qnn/README.md; empty when there is none.
std::string kind_of(const CodesDifference& one) {
  const bool only_theirs = one.ours.empty();
  if (only_theirs && one.read_only_by("Clip", {1, 2})) return "bounds of a Clip";
  if (only_theirs && one.read_only_by("Resize", {2})) return "scales of a Resize";
  if (only_theirs && one.value.uses.empty() && !one.value.is_output) return "output that no node reads";
  if (one.is_read_by("Identity") || one.is_written_by("Identity")) return "constant behind an Identity";
  if (one.theirs.empty() && one.value.is_input && one.read_only_by("Transpose", {0})) return "copy of a graph input";
  if (one.ours == "UINT8" && one.theirs == "INT8 axis 1" && one.read_only_by("MatMul", {1}))
    return "MatMul with scales per channel";
  if (one.ours == "UINT8" && one.theirs == "INT8" && one.read_only_by("InstanceNormalization", {1}))
    return "weight of a norm";
  return "";
}

struct Agreement {
  int same = 0, compared = 0;
  std::map<std::string, int> different;  ///< by kind
  std::vector<std::string> unexplained;
};

/// Compares the values that both graphs have. The tool's preprocessing fuses or folds some: without an entry there, a
/// value of such a model may be gone.
void compare_codes(const Graph& graph, const Codes& ours, const Codes& theirs, bool preprocessed, Agreement& result) {
  std::set<std::string> names;
  for (const auto& [name, text] : theirs) names.insert(name);
  if (!preprocessed)
    for (const auto& [name, text] : ours) names.insert(name);
  const auto text = [](const Codes& codes, const std::string& name) {
    const auto found = codes.find(name);
    return found == codes.end() ? std::string() : found->second;
  };
  for (const std::string& name : names) {
    const MaybeValue value = graph.find_value(name);
    if (!value) continue;
    const CodesDifference one{graph, graph.value(*value), text(ours, name), text(theirs, name)};
    if (one.read_only_by("BatchNormalization", {1, 2})) continue;  // Detent folds it
    ++result.compared;
    const std::string kind = one.ours == one.theirs ? "" : kind_of(one);
    if (one.ours == one.theirs)
      ++result.same;
    else if (!kind.empty())
      ++result.different[kind];
    else
      result.unexplained.push_back("'" + name + "': ours '" + one.ours + "', theirs '" + one.theirs + "'");
  }
}

class QnnTool : public testing::TestWithParam<Form> {};

TEST_P(QnnTool, AgreesOnNineteenOfTwentyValues) {
  const Form& form = GetParam();
  const fs::path file = shared_folder() / "reference/qnn.json";
  if (!fs::exists(file)) GTEST_SKIP() << "missing " << file;
  const auto reference = nlohmann::json::parse(std::ifstream(file));
  PlacementRequest options;
  options.type = form.type;
  Agreement result;
  for (const auto& [model, path] : model_files()) {
    const auto& entry = reference.at(model + " " + form.name);
    const fs::path onnx = shared_folder() / (path + ".onnx");
    if (entry.contains("error") || !fs::exists(onnx)) continue;
    const Model read = read_model(onnx);
    const PlacementPlan plan = make_placement_plan(read.graph(), find_target("qnn"), options);
    const size_t before = result.unexplained.size();
    compare_codes(read.graph(), codes_of(read.graph(), plan, form), tool_codes(entry.at("pairs")),
                  entry.at("preprocessed"), result);
    for (size_t i = before; i < result.unexplained.size(); ++i)
      ADD_FAILURE() << model << " " << form.name << " " << result.unexplained[i];
  }
  const double share = 100.0 * result.same / std::max(result.compared, 1);
  std::cout << form.name << ": " << result.same << " of " << result.compared << " values agree, " << share << " %\n";
  for (const auto& [kind, count] : result.different) std::cout << "  " << count << "  " << kind << "\n";
  EXPECT_GE(share, 95.0);
}

INSTANTIATE_TEST_SUITE_P(Shared, QnnTool,
                         testing::Values(Form{"a8w8"}, Form{"a16w8", CodeType::A16W8},
                                         Form{"a8w8_per_channel", CodeType::Int8, false}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace detent
