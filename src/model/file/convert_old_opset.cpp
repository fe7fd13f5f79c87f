#include "model/file/convert_old_opset.h"

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <onnx/version_converter/convert.h>

#include <exception>
#include <map>
#include <set>
#include <string>

#include "detent/base/error.h"
#include "model/file/first_line.h"
#include "model/file/onnx_checker.h"
#include "model/graph/graph_indexer.h"
#include "model/graph/stored_data.h"

namespace detent {

namespace {

constexpr int64_t kFirstIrWithFreeInitializers = 4;

/// Lists initializers among the graph's inputs, where libonnx's intermediate graph expects them, as in files before IR
/// version 4.
void list_initializers_as_inputs(onnx::ModelProto& proto) {
  onnx::GraphProto& graph = *proto.mutable_graph();
  std::set<std::string> inputs;
  for (const onnx::ValueInfoProto& input : graph.input()) inputs.insert(input.name());
  for (const onnx::TensorProto& initializer : graph.initializer()) {
    if (inputs.contains(initializer.name())) continue;
    onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name(initializer.name());
    onnx::TypeProto::Tensor& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(initializer.data_type());
    for (const int64_t extent : initializer.dims()) type.mutable_shape()->add_dim()->set_dim_value(extent);
  }
}

/// Returns the rank of every value that shape inference reaches.
std::map<std::string, int> ranks_of(const onnx::GraphProto& graph) {
  std::map<std::string, int> ranks;
  for (const auto* values : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto& value : *values)
      if (value.type().tensor_type().has_shape()) ranks[value.name()] = value.type().tensor_type().shape().dim_size();
  return ranks;
}

/// Converts the slopes of a PRelu, which count channels (axis 1) below opset 7 and broadcast from the last axis from it
/// on; libonnx's converter leaves them. Source: ONNX, Changelog, PRelu-6 and PRelu-7.
void align_slopes_with_channels(onnx::GraphProto& graph) {
  const std::map<std::string, int> ranks = ranks_of(graph);
  std::map<std::string, onnx::TensorProto*> initializers;
  for (onnx::TensorProto& initializer : *graph.mutable_initializer()) initializers[initializer.name()] = &initializer;
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.op_type() != "PRelu" || node.input_size() < 2 || !initializers.contains(node.input(1))) continue;
    onnx::TensorProto& slopes = *initializers[node.input(1)];
    if (slopes.dims_size() != 1 || slopes.dims(0) == 1) continue;
    const auto rank = ranks.find(node.input(0));
    if (rank == ranks.end())
      throw Error(ErrorCode::Unsupported,
                  "node '" + node.name() + "' (PRelu, opset 6): the rank of its input is unknown");
    for (int axis = 2; axis < rank->second; ++axis) slopes.add_dims(1);
    for (onnx::ValueInfoProto& input : *graph.mutable_input())
      if (input.name() == slopes.name())
        for (int axis = 2; axis < rank->second; ++axis)
          input.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(1);
  }
}

/// Checks the model: libonnx's adapters assume the inputs, outputs and attributes that an operator's schema requires,
/// and its checker reads no model that is newer than itself in any part.
void check_against_schemas(const onnx::GraphProto& graph, int64_t opset) {
  for (const onnx::NodeProto& node : graph.node()) {
    const onnx::OpSchema* schema =
        node.domain().empty() ? onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(opset)) : nullptr;
    try {
      if (schema) schema->Verify(node);
    } catch (const std::exception& error) {
      throw Error(ErrorCode::InvalidModel, "node '" + node.name() + "' (" + node.op_type() + ", opset " +
                                               std::to_string(opset) + "): " + first_line(error.what()));
    }
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) check_against_schemas(attribute.g(), opset);
      for (const onnx::GraphProto& inside : attribute.graphs()) check_against_schemas(inside, opset);
    }
  }
}

}  // namespace

void convert_old_opset(onnx::ModelProto& proto, int64_t from, int64_t target) {
  for (onnx::TensorProto& tensor : *proto.mutable_graph()->mutable_initializer()) load_stored_data(tensor);
  if (proto.ir_version() < kFirstIrWithFreeInitializers) list_initializers_as_inputs(proto);
  (void)index_graph(proto);  // libonnx's graph does not check for names that nothing writes
  check_against_schemas(proto.graph(), from);
  run_onnx_checker(proto);
  try {
    onnx::shape_inference::InferShapes(proto);
    proto = onnx::version_conversion::ConvertVersion(proto, static_cast<int>(target));
    align_slopes_with_channels(*proto.mutable_graph());
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorCode::Unsupported,
                "the model uses opset " + std::to_string(from) + ", which cannot be converted to " +
                    std::to_string(target) + ": " + first_line(error.what()),
                "export the model again with a newer opset");
  }
}

}  // namespace detent
