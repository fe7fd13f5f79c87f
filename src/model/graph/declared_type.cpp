#include "model/graph/declared_type.h"

#include <onnx/onnx_pb.h>

#include "detent/base/error.h"
#include "model/graph/tensor_proto.h"

namespace detent {

void declare(Value& declared, const onnx::TypeProto& outer) {
  declared.is_optional = outer.has_optional_type();
  const onnx::TypeProto& type = declared.is_optional ? outer.optional_type().elem_type() : outer;
  if (type.has_sequence_type()) {
    const onnx::TypeProto& element = type.sequence_type().elem_type();
    if (data_type_from_onnx(element.tensor_type().elem_type()) != DataType::Undefined)
      declared.declared_type = DataType::Sequence;
  }
  if (!type.has_tensor_type()) return;
  const auto& tensor = type.tensor_type();
  if (const DataType element = data_type_from_onnx(tensor.elem_type()); element != DataType::Undefined)
    declared.declared_type = element;
  else if (tensor.elem_type() == onnx::TensorProto::STRING)
    declared.declared_type = DataType::String;
  else if (tensor.elem_type() != onnx::TensorProto::UNDEFINED)  // undefined: not stated, as some exporters leave it
    throw Error(ErrorCode::Unsupported, "value '" + declared.name + "': tensors of ONNX element type " +
                                            std::to_string(tensor.elem_type()) + " are not supported");
  if (!tensor.has_shape()) return;
  auto& shape = declared.declared_shape.emplace();
  declared.symbols.clear();
  for (const auto& dim : tensor.shape().dim()) {
    shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    declared.symbols.push_back(dim.has_dim_param() ? dim.dim_param() : "");
  }
}

}  // namespace detent
