#include "model/tensor_proto.h"

#include <onnx/onnx_pb.h>

#include <bit>
#include <cstring>

namespace detent {

static_assert(std::endian::native == std::endian::little,
              "raw_data is little-endian and is looked at without decoding");

namespace {

struct TypePair {
  int32_t onnx;
  DataType type;
};

// Numbers above BFLOAT16 are newer than the installed onnx headers. Source: onnx.proto of ONNX 1.17, TensorProto.DataType.
constexpr TypePair kTypes[] = {
    {onnx::TensorProto::FLOAT, DataType::Float32},
    {onnx::TensorProto::UINT8, DataType::UInt8},
    {onnx::TensorProto::INT8, DataType::Int8},
    {onnx::TensorProto::UINT16, DataType::UInt16},
    {onnx::TensorProto::INT16, DataType::Int16},
    {onnx::TensorProto::INT32, DataType::Int32},
    {onnx::TensorProto::INT64, DataType::Int64},
    {onnx::TensorProto::BOOL, DataType::Bool},
    {onnx::TensorProto::FLOAT16, DataType::Float16},
    {onnx::TensorProto::DOUBLE, DataType::Float64},
    {onnx::TensorProto::UINT32, DataType::UInt32},
    {onnx::TensorProto::UINT64, DataType::UInt64},
    {onnx::TensorProto::BFLOAT16, DataType::BFloat16},
    {21, DataType::UInt4},
    {22, DataType::Int4},
};

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

[[noreturn]] void wrong_size(const Shape& shape, DataType type, size_t expected, size_t found, std::string_view unit) {
  throw Error(ErrorCode::InvalidModel, "a tensor of shape " + shape.to_string() + " and type " +
                                           std::string(name_of(type)) + " needs " + std::to_string(expected) + " " +
                                           std::string(unit) + " but holds " + std::to_string(found));
}

/// Two elements a byte, the first in the low half.
void unpack_nibbles(Tensor& tensor, const auto& byte_at) {
  auto* out = static_cast<uint8_t*>(tensor.mutable_raw());
  const bool is_signed = tensor.type() == DataType::Int4;
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    const auto nibble = static_cast<uint8_t>((byte_at(i / 2) >> (i % 2 ? 4 : 0)) & 0xf);
    out[i] = is_signed && nibble >= 8 ? static_cast<uint8_t>(nibble | 0xf0) : nibble;
  }
}

Tensor from_raw(const onnx::TensorProto& proto, DataType type, const Shape& shape) {
  const std::string& raw = proto.raw_data();
  const bool packed = type == DataType::Int4 || type == DataType::UInt4;
  const auto count = static_cast<size_t>(shape.element_count());
  const size_t expected = packed ? (count + 1) / 2 : count * byte_size(type);
  if (raw.size() != expected) wrong_size(shape, type, expected, raw.size(), "bytes");
  if (packed) {
    Tensor tensor(type, shape);
    unpack_nibbles(tensor, [&](int64_t i) { return static_cast<uint8_t>(raw[static_cast<size_t>(i)]); });
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

/// Copies a typed repeated field into elements of type T.
template <class T>
Tensor from_field(const auto& field, DataType type, const Shape& shape) {
  const auto count = static_cast<size_t>(shape.element_count());
  if (static_cast<size_t>(field.size()) != count)
    wrong_size(shape, type, count, static_cast<size_t>(field.size()), "values");
  Tensor tensor(type, shape);
  auto* out = static_cast<T*>(tensor.mutable_raw());
  for (size_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, bool>)
      out[i] = field[static_cast<int>(i)] != 0;
    else
      out[i] = static_cast<T>(field[static_cast<int>(i)]);
  }
  return tensor;
}

/// The field that holds a type's elements when there is no raw_data. Source: onnx.proto, comments of TensorProto.
Tensor from_typed_field(const onnx::TensorProto& proto, DataType type, const Shape& shape) {
  switch (type) {
    case DataType::Float32: return from_field<float>(proto.float_data(), type, shape);
    case DataType::Float64: return from_field<double>(proto.double_data(), type, shape);
    case DataType::Int64: return from_field<int64_t>(proto.int64_data(), type, shape);
    case DataType::UInt64: return from_field<uint64_t>(proto.uint64_data(), type, shape);
    case DataType::UInt32: return from_field<uint32_t>(proto.uint64_data(), type, shape);
    case DataType::Int32: return from_field<int32_t>(proto.int32_data(), type, shape);
    case DataType::Int16: return from_field<int16_t>(proto.int32_data(), type, shape);
    case DataType::Int8: return from_field<int8_t>(proto.int32_data(), type, shape);
    case DataType::UInt8: return from_field<uint8_t>(proto.int32_data(), type, shape);
    case DataType::Bool: return from_field<bool>(proto.int32_data(), type, shape);
    case DataType::UInt16:
    case DataType::Float16:
    case DataType::BFloat16: return from_field<uint16_t>(proto.int32_data(), type, shape);
    case DataType::Int4:
    case DataType::UInt4: {
      const auto bytes = static_cast<size_t>((shape.element_count() + 1) / 2);
      if (static_cast<size_t>(proto.int32_data_size()) != bytes)
        wrong_size(shape, type, bytes, static_cast<size_t>(proto.int32_data_size()), "packed values");
      Tensor tensor(type, shape);
      unpack_nibbles(tensor, [&](int64_t i) { return static_cast<uint8_t>(proto.int32_data(static_cast<int>(i))); });
      return tensor;
    }
    case DataType::Undefined:
    case DataType::String: break;
  }
  throw Error(ErrorCode::Internal, "no field holds tensors of type " + std::string(name_of(type)));
}

}  // namespace

DataType data_type_from_onnx(int32_t onnx_type) {
  for (const TypePair& pair : kTypes)
    if (pair.onnx == onnx_type) return pair.type;
  return DataType::Undefined;
}

int32_t onnx_type_of(DataType type) {
  for (const TypePair& pair : kTypes)
    if (pair.type == type) return pair.onnx;
  return onnx::TensorProto::UNDEFINED;
}

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
  return proto.has_raw_data() ? from_raw(proto, type, shape) : from_typed_field(proto, type, shape);
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
  if (tensor.type() == DataType::Int4 || tensor.type() == DataType::UInt4) {
    const auto* in = static_cast<const uint8_t*>(tensor.raw());
    std::string packed(static_cast<size_t>((tensor.element_count() + 1) / 2), '\0');
    for (int64_t i = 0; i < tensor.element_count(); ++i) {
      char& byte = packed[static_cast<size_t>(i / 2)];
      byte = static_cast<char>(static_cast<uint8_t>(byte) | ((in[i] & 0xf) << (i % 2 ? 4 : 0)));
    }
    proto.set_raw_data(std::move(packed));
  } else {
    proto.set_raw_data(tensor.raw(), tensor.byte_count());
  }
}

}  // namespace detent
