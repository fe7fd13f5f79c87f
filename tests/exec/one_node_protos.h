#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "exec/one_node_models.h"
#include "model/graph/tensor_proto.h"
#include "model/model.h"
#include "model/onnx_protos.h"

namespace detent::test {

/// The ending of names of constants that the caller feeds, instead of the model.
inline constexpr std::string_view kFed = "__fed";

inline std::unique_ptr<onnx::ModelProto> model_of(const OneNode& node) {
  std::string outputs;
  const std::string_view names = node.node.substr(0, node.node.find(" ="));
  for (size_t at = 0; at < names.size();) {
    const size_t comma = std::min(names.find(", ", at), names.size());
    outputs += std::string(outputs.empty() ? "" : ", ") + "float " + std::string(names.substr(at, comma - at));
    at = comma + 2;
  }
  const std::string constants = node.constants.empty() ? "" : " <" + std::string(node.constants) + ">";
  const std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(node.opset) +
                           ", \"com.microsoft\" : 1]> g (" + std::string(node.inputs) + ") => (" + outputs + ")" +
                           constants + " { " + std::string(node.node) + " }";
  auto proto = std::make_unique<onnx::ModelProto>(parse_model_text(text).proto());
  for (auto& output : *proto->mutable_graph()->mutable_output()) output.clear_type();
  for (std::string& input : *proto->mutable_graph()->mutable_node(0)->mutable_input())
    if (input == "none") input.clear();
  auto& inputs = *proto->mutable_graph()->mutable_input();
  for (int i = inputs.size(); i-- > 0;) {
    if (inputs[i].name() == "none") {
      inputs.DeleteSubrange(i, 1);
    } else if (inputs[i].name() == "list") {
      const onnx::TypeProto element = inputs[i].type();
      *inputs[i].mutable_type()->mutable_sequence_type()->mutable_elem_type() = element;
    }
  }
  return proto;
}

inline onnx::NodeProto& node_of(onnx::ModelProto& model) { return *model.mutable_graph()->mutable_node(0); }

inline std::optional<Tensor> find_fed_constant(const onnx::ModelProto& model, const std::string& name) {
  for (const auto& tensor : model.graph().initializer())
    if (tensor.name() == name && name.ends_with(kFed)) return tensor_from_proto(tensor).clone();
  return std::nullopt;
}

/// Turns constants to be fed into inputs.
inline std::unique_ptr<onnx::ModelProto> without_fed_constants(std::unique_ptr<onnx::ModelProto> model) {
  auto& list = *model->mutable_graph()->mutable_initializer();
  for (int i = list.size(); i-- > 0;) {
    if (!list[i].name().ends_with(kFed)) continue;
    onnx::ValueInfoProto& input = *model->mutable_graph()->add_input();
    input.set_name(list[i].name());
    input.mutable_type()->mutable_tensor_type()->set_elem_type(list[i].data_type());
    list.DeleteSubrange(i, 1);
  }
  return model;
}

/// Names all constants so that they are fed.
inline void feed_constants(onnx::ModelProto& model) {
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
    const std::string name = tensor.name();
    tensor.set_name(name + std::string(kFed));
    for (std::string& input : *node_of(model).mutable_input())
      if (input == name) input = tensor.name();
  }
}

}  // namespace detent::test
