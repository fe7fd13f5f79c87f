#include "model/file/onnx_checker.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx/checker.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <vector>

#include "detent/base/error.h"
#include "model/file/default_domain.h"
#include "model/file/first_line.h"
#include "model/graph/stored_data.h"

namespace detent {

namespace {

// The newest versions that the installed libonnx (1.12) knows. Source: onnx/defs/operator_sets.h and onnx.proto Version
// of that release.
constexpr int64_t kCheckerOpset = 17;
constexpr int64_t kCheckerIr = 8;

/// True when every operator has a schema: the checker would stop at the first one without, Detent lists all before a
/// run.
bool knows_all_operators(const onnx::GraphProto& graph, int64_t opset) {
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.domain().empty() && !onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(opset))) return false;
    for (const onnx::AttributeProto& attribute : node.attribute())
      if (attribute.has_g() && !knows_all_operators(attribute.g(), opset)) return false;
  }
  return true;
}

/// A guard that hides initializers whose data stays in files from the checker, which knows external data only by paths.
/// An empty tensor of the same name and type replaces each.
class HiddenWeights {
 public:
  explicit HiddenWeights(onnx::GraphProto& graph) {
    for (onnx::TensorProto& tensor : *graph.mutable_initializer()) {
      if (!has_stored_data(tensor)) continue;
      onnx::TensorProto stand_in;
      stand_in.set_name(tensor.name());
      stand_in.set_data_type(tensor.data_type());
      stand_in.add_dims(0);
      hidden_.emplace_back(&tensor, std::move(stand_in));
    }
    swap();
  }
  ~HiddenWeights() { swap(); }
  HiddenWeights(const HiddenWeights&) = delete;
  HiddenWeights& operator=(const HiddenWeights&) = delete;

 private:
  void swap() {
    for (auto& [tensor, stand_in] : hidden_) tensor->Swap(&stand_in);
  }
  std::vector<std::pair<onnx::TensorProto*, onnx::TensorProto>> hidden_;
};

/// A guard that adds a graph name and the type and shape of every output, which libonnx's checker requires and engines
/// do not.
class LentFields {
 public:
  explicit LentFields(onnx::GraphProto& graph) : graph_(graph), name_lent_(graph.name().empty()) {
    if (name_lent_) graph_.set_name("graph");
    for (onnx::ValueInfoProto& output : *graph.mutable_output()) {
      const onnx::TypeProto& type = output.type();
      const bool is_bare = type.value_case() == onnx::TypeProto::VALUE_NOT_SET;
      if (!is_bare &&
          (!type.has_tensor_type() || (type.tensor_type().has_shape() && type.tensor_type().elem_type() != 0)))
        continue;
      lent_.emplace_back(&output, output);
      auto* tensor = output.mutable_type()->mutable_tensor_type();
      if (tensor->elem_type() == 0) tensor->set_elem_type(onnx::TensorProto::FLOAT);
      tensor->mutable_shape();
    }
  }
  ~LentFields() {
    if (name_lent_) graph_.clear_name();
    for (auto& [output, before] : lent_) output->Swap(&before);
  }
  LentFields(const LentFields&) = delete;
  LentFields& operator=(const LentFields&) = delete;

 private:
  onnx::GraphProto& graph_;
  bool name_lent_;
  std::vector<std::pair<onnx::ValueInfoProto*, onnx::ValueInfoProto>> lent_;
};

}  // namespace

void run_onnx_checker(onnx::ModelProto& proto) {
  const int64_t opset = default_opset(proto);
  if (proto.ir_version() > kCheckerIr || opset > kCheckerOpset || !knows_all_operators(proto.graph(), opset)) return;
  const google::protobuf::LogSilencer silence;
  const LentFields lent(*proto.mutable_graph());
  const HiddenWeights hidden(*proto.mutable_graph());
  try {
    onnx::checker::check_model(proto);
  } catch (const std::exception& error) {
    throw Error(ErrorCode::InvalidModel, "the ONNX checker refuses the model: " + first_line(error.what()));
  }
}

}  // namespace detent
