#include "model/graph/tensor_proto.h"

#include <onnx/onnx_pb.h>

#include <bit>
#include <cstring>

#include "core/packed_elements.h"
#include "core/typed_fields.h"

namespace detent {

static_assert(std::endian::native == std::endian::little,
              "raw_data is little-endian and is looked at without decoding");

namespace {

/// Errors  InvalidModel for negative extents and for element counts beyond 2^62.
Shape checked_shape(const onnx::TensorProto& proto) {
  Shape shape;
  int64_t count = 1;
  for (const int64_t extent : proto.dims()) {
    if (extent < 0) throw Error(ErrorCode::InvalidModel, "a tensor has the negative extent " + std::to_string(extent));
    if (extent > 0 && count > (int64_t{1} << 62) / extent)
      throw Error(ErrorCode::InvalidModel, "a tensor has more elements than memory can hold");
    if (extent > 0) count *= extent;
    shape.push_back(extent);
  }
  return shape;
}

Tensor from_raw(const onnx::TensorProto& proto, DataType type, const Shape& shape) {
  const std::string& raw = proto.raw_data();
  const auto count = static_cast<size_t>(shape.element_count());
  const size_t expected = stored_bytes(type, shape.element_count());
  if (raw.size() != expected)
    throw Error(ErrorCode::InvalidModel, "a tensor of shape " + shape.to_string() + " and type " +
                                             std::string(name_of(type)) + " needs " + std::to_string(expected) +
                                             " bytes but holds " + std::to_string(raw.size()));
  if (is_packed(type)) {
    Tensor tensor(type, shape);
    unpack({reinterpret_cast<const uint8_t*>(raw.data()), raw.size()}, tensor);
    return tensor;
  }
  if (type == DataType::Bool) {  // any byte may be in the file, a bool object holds 0 or 1 only
    Tensor tensor(type, shape);
    auto* out = static_cast<uint8_t*>(tensor.mutable_raw());
    for (size_t i = 0; i < count; ++i) out[i] = raw[i] != 0;
    return tensor;
  }
  if (reinterpret_cast<uintptr_t>(raw.data()) % byte_size(type) != 0) {
    Tensor tensor(type, shape);
    std::memcpy(tensor.mutable_raw(), raw.data(), raw.size());
    return tensor;
  }
  return Tensor::view(type, shape, raw.data());
}

}  // namespace

Tensor tensor_from_proto(const onnx::TensorProto& proto) {
  const DataType type = data_type_from_onnx(proto.data_type());
  if (type == DataType::Undefined) {
    const bool is_string = proto.data_type() == onnx::TensorProto::STRING;
    throw Error(ErrorCode::Unsupported,
                is_string ? "tensors of strings are not supported"
                          : "tensors of ONNX element type " + std::to_string(proto.data_type()) + " are not supported");
  }
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    throw Error(ErrorCode::InvalidModel, "a tensor refers to an external data file that was not loaded");
  const Shape shape = checked_shape(proto);
  return proto.has_raw_data() ? from_raw(proto, type, shape)
                              : TypedFields(proto, ErrorCode::InvalidModel).read(type, shape);
}

void tensor_to_proto(const Tensor& tensor, onnx::TensorProto& proto) {
  const int32_t type = onnx_type_of(tensor.type());
  if (type == onnx::TensorProto::UNDEFINED || tensor.layout() != Layout::Plain)
    throw Error(ErrorCode::Internal, "a tensor of type " + std::string(name_of(tensor.type())) + " cannot be stored");
  const std::string name = proto.name();
  proto.Clear();
  if (!name.empty()) proto.set_name(name);
  proto.set_data_type(type);
  for (const int64_t extent : tensor.shape().dims()) proto.add_dims(extent);
  if (is_packed(tensor.type())) {
    proto.set_raw_data(pack(tensor));
  } else {
    proto.set_raw_data(tensor.raw(), tensor.byte_count());
  }
}

}  // namespace detent
