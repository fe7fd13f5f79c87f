#include "model/declare_ranks.h"

#include <onnx/onnx_pb.h>

namespace detent {

void declare_rank(onnx::ValueInfoProto& info, size_t rank) {
  const bool is_tensor = info.type().has_tensor_type() || info.type().value_case() == onnx::TypeProto::VALUE_NOT_SET;
  if (!is_tensor || info.type().tensor_type().has_shape()) return;
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  if (tensor.elem_type() == onnx::TensorProto::UNDEFINED) tensor.set_elem_type(onnx::TensorProto::FLOAT);
  auto& shape = *tensor.mutable_shape();
  for (size_t axis = 0; axis < rank; ++axis) shape.add_dim();
}

void declare_ranks(Model& model, const std::map<std::string, size_t>& ranks) {
  if (ranks.empty()) return;
  for (onnx::ValueInfoProto& info : *model.mutable_proto().mutable_graph()->mutable_input())
    if (const auto rank = ranks.find(info.name()); rank != ranks.end()) declare_rank(info, rank->second);
}

}  // namespace detent
