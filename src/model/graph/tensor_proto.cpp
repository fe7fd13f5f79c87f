#include "model/graph/tensor_proto.h"

#include <onnx/onnx_pb.h>

#include <bit>
#include <cstring>

#include "core/files/mapped_file.h"
#include "core/packed_elements.h"
#include "core/typed_fields.h"
#include "model/graph/stored_data.h"

namespace detent {

static_assert(std::endian::native == std::endian::little,
              "raw_data is little-endian and is looked at without decoding");

namespace {

/// Returns the shape. Errors  InvalidModel for negative extents and for element counts beyond 2^62.
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

/// Returns the elements that `raw` stores, decoded where they cannot be read in place.
void decode(std::string_view raw, Tensor& tensor) {
  if (is_packed(tensor.type())) return unpack({reinterpret_cast<const uint8_t*>(raw.data()), raw.size()}, tensor);
  auto* out = static_cast<uint8_t*>(tensor.mutable_raw());
  if (tensor.type() != DataType::Bool) {
    if (!raw.empty()) std::memcpy(out, raw.data(), raw.size());
    return;
  }
  for (const char byte : raw) *out++ = byte != 0;  // the file may hold any byte, a bool object only 0 or 1
}

Tensor from_raw(const onnx::TensorProto& proto, DataType type, const Shape& shape) {
  const std::string_view raw = raw_bytes(proto);
  const size_t expected = stored_bytes(type, shape.element_count());
  if (raw.size() != expected)
    throw Error(ErrorCode::InvalidModel, "a tensor of shape " + shape.to_string() + " and type " +
                                             std::string(name_of(type)) + " needs " + std::to_string(expected) +
                                             " bytes but holds " + std::to_string(raw.size()));
  const bool as_stored = !is_packed(type) && type != DataType::Bool;
  if (as_stored && reinterpret_cast<uintptr_t>(raw.data()) % byte_size(type) == 0)
    return Tensor::view(type, shape, raw.data());
  if (!has_stored_data(proto)) {
    Tensor tensor(type, shape);
    decode(raw, tensor);
    return tensor;
  }
  // Most commands read few of a model's weights: data in a file is decoded when it is read.
  return Tensor::deferred(type, shape, [type, shape, raw] {
    Tensor tensor(type, shape);
    decode(raw, tensor);
    let_go_of_pages(raw.data(), raw.size());
    return tensor;
  });
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
  const bool stored = has_stored_data(proto);
  if (proto.data_location() == onnx::TensorProto::EXTERNAL && !stored)
    throw Error(ErrorCode::InvalidModel, "a tensor refers to an external data file that was not loaded");
  const Shape shape = checked_shape(proto);
  return stored || proto.has_raw_data() ? from_raw(proto, type, shape)
                                        : TypedFields(proto, ErrorCode::InvalidModel).read(type, shape);
}

std::optional<uint64_t> raw_data_bytes(const onnx::TensorProto& proto) {
  const DataType type = data_type_from_onnx(proto.data_type());
  if (type == DataType::Undefined) return std::nullopt;
  return stored_bytes(type, checked_shape(proto).element_count());
}

namespace {

/// Writes the tensor without its elements.
void set_header(const Tensor& tensor, onnx::TensorProto& proto) {
  const int32_t type = onnx_type_of(tensor.type());
  if (type == onnx::TensorProto::UNDEFINED || tensor.layout() != Layout::Plain)
    throw Error(ErrorCode::Internal, "a tensor of type " + std::string(name_of(tensor.type())) + " cannot be stored");
  const std::string name = proto.name();
  proto.Clear();
  if (!name.empty()) proto.set_name(name);
  proto.set_data_type(type);
  for (const int64_t extent : tensor.shape().dims()) proto.add_dims(extent);
}

}  // namespace

void tensor_to_proto(const Tensor& tensor, onnx::TensorProto& proto) {
  set_header(tensor, proto);
  if (is_packed(tensor.type())) {
    proto.set_raw_data(pack(tensor));
  } else {
    proto.set_raw_data(tensor.raw(), tensor.byte_count());
  }
}

std::shared_ptr<const MappedFile> share_tensor(const Tensor& tensor, onnx::TensorProto& proto) {
  const size_t bytes = tensor.byte_count();
  const bool as_stored = bytes > 0 && !is_packed(tensor.type()) && tensor.type() != DataType::Bool;
  std::shared_ptr<const MappedFile> file = as_stored ? MappedFile::holding(tensor.raw(), bytes) : nullptr;
  if (!file) {
    tensor_to_proto(tensor, proto);
    return nullptr;
  }
  set_header(tensor, proto);
  const auto offset = static_cast<uint64_t>(static_cast<const char*>(tensor.raw()) - file->bytes().data());
  set_stored_data(proto, *file, offset, bytes);
  return file;
}

}  // namespace detent
