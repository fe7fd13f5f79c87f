#include "prepare/subgraph_models.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/onnx_type.h"
#include "model/graph/node_names.h"
#include "model/graph/tensor_proto.h"
#include "ops/value_types.h"

namespace detent {

namespace {

using Names = std::unordered_set<std::string>;

Names defined_in(const onnx::GraphProto& graph) {
  Names names;
  for (const onnx::ValueInfoProto& input : graph.input()) names.insert(input.name());
  for (const onnx::TensorProto& tensor : graph.initializer()) names.insert(tensor.name());
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) names.insert(tensor.values().name());
  for (const onnx::NodeProto& node : graph.node()) names.insert(node.output().begin(), node.output().end());
  return names;
}

onnx::ValueInfoProto declaration_of(const Value& value, DataType type) {
  onnx::ValueInfoProto info;
  info.set_name(value.name);
  if (onnx_type_of(type) == 0 || value.is_optional) return info;
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_type_of(type));
  if (!value.declared_shape) return info;
  auto& shape = *tensor.mutable_shape();
  for (const int64_t extent : *value.declared_shape)
    if (auto& dim = *shape.add_dim(); extent >= 0) dim.set_dim_value(extent);
  return info;
}

/// The values of the outer graph, for its subgraphs.
struct Scope {
  std::vector<onnx::ValueInfoProto> values;
  std::vector<onnx::TensorProto> constants;

  /// largest  elements; constants of more are values without content
  Scope(const Graph& graph, int64_t largest) {
    const ValueMap<DataType> types = value_types(graph);
    for (const Value& value : graph.values()) {
      const bool readable = value.is_constant && value.declared_type != DataType::String;
      const Tensor* tensor = readable ? graph.constant(value.id) : nullptr;
      if (!tensor || tensor->is_sequence() || tensor->element_count() > largest) {
        values.push_back(declaration_of(value, types[value.id]));
        continue;
      }
      constants.emplace_back().set_name(value.name);
      tensor_to_proto(*tensor, constants.back());
    }
  }
};

template <class Field>
void erase_named(Field& field, const Names& names) {
  field.erase(std::remove_if(field.begin(), field.end(), [&](const auto& one) { return names.contains(one.name()); }),
              field.end());
}

/// Returns the graph as a model; `borrowed` gets the names of outer values.
Model model_of(const onnx::GraphProto& graph, const onnx::ModelProto& around, const Scope& scope, Names& borrowed) {
  auto proto = std::make_unique<onnx::ModelProto>();
  proto->set_ir_version(around.ir_version());
  *proto->mutable_opset_import() = around.opset_import();
  const Names own = defined_in(graph);
  *proto->mutable_graph() = graph;
  for (const onnx::ValueInfoProto& value : scope.values)
    if (!own.contains(value.name()) && borrowed.insert(value.name()).second)
      *proto->mutable_graph()->add_input() = value;
  for (const onnx::TensorProto& tensor : scope.constants)
    if (!own.contains(tensor.name()) && borrowed.insert(tensor.name()).second)
      *proto->mutable_graph()->add_initializer() = tensor;
  return Model(std::move(proto));
}

void change_graph(onnx::GraphProto& graph, const onnx::ModelProto& around, const Scope& scope,
                  const std::function<void(Model&)>& change) {
  Names borrowed;
  Model inner = model_of(graph, around, scope, borrowed);
  change(inner);
  graph = inner.proto().graph();
  erase_named(*graph.mutable_input(), borrowed);
  erase_named(*graph.mutable_initializer(), borrowed);
}

}  // namespace

void change_subgraphs(Model& model, const std::function<bool(const Graph&)>& wanted,
                      const std::function<void(Model&)>& change) {
  std::set<std::pair<std::string, std::string>> chosen;  // node and attribute
  for (const Node& node : model.graph().nodes())
    for (const Attribute& attribute : node.attributes)
      if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute.value); graph && wanted(**graph))
        chosen.emplace(node.name, attribute.name);
  if (chosen.empty()) return;
  constexpr int64_t kSmall = 4096;  // operands that adapters read: scales, sizes, channels
  const Scope scope(model.graph(), kSmall);
  onnx::ModelProto& proto = model.mutable_proto();
  const std::vector<std::string> names = node_names(proto.graph());
  for (int i = 0; i < proto.graph().node_size(); ++i)
    for (onnx::AttributeProto& attribute : *proto.mutable_graph()->mutable_node(i)->mutable_attribute())
      if (attribute.has_g() && chosen.contains({names[static_cast<size_t>(i)], attribute.name()}))
        change_graph(*attribute.mutable_g(), proto, scope, change);
}

void look_at_subgraphs(const Model& model, const std::function<bool(const Node&)>& wanted,
                       const std::function<void(const Node&, const Model&)>& look) {
  const Graph& graph = model.graph();
  std::map<std::string, NodeId> holders;
  for (const Node& node : graph.nodes())
    if (wanted(node)) holders.emplace(node.name, node.id);
  if (holders.empty()) return;
  const Scope scope(graph, std::numeric_limits<int64_t>::max());
  const onnx::ModelProto& proto = model.proto();
  const std::vector<std::string> names = node_names(proto.graph());
  for (int i = 0; i < proto.graph().node_size(); ++i) {
    const auto holder = holders.find(names[static_cast<size_t>(i)]);
    if (holder == holders.end()) continue;
    for (const onnx::AttributeProto& attribute : proto.graph().node(i).attribute()) {
      if (!attribute.has_g()) continue;
      Names borrowed;
      look(graph.node(holder->second), model_of(attribute.g(), proto, scope, borrowed));
    }
  }
}

}  // namespace detent
