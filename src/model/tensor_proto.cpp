#include "model/tensor_proto.h"

#include <onnx/onnx_pb.h>

#include <bit>
#include <cstring>
#include <vector>

namespace detent {

static_assert(std::endian::native == std::endian::little,
              "raw_data is little-endian and is looked at without decoding");

namespace {

struct TypePair {
  int32_t onnx;
  DataType type;
};

// Numbers above BFLOAT16 are newer than the installed onnx headers. Source: onnx.proto of ONNX 1.23, TensorProto.DataType.
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
    {17, DataType::Float8E4M3FN},
    {18, DataType::Float8E4M3FNUZ},
    {19, DataType::Float8E5M2},
    {20, DataType::Float8E5M2FNUZ},
    {21, DataType::UInt4},
    {22, DataType::Int4},
    {23, DataType::Float4E2M1},
    {24, DataType::Float8E8M0},
    {25, DataType::UInt2},
    {26, DataType::Int2},
    {27, DataType::Float6E2M3},
    {28, DataType::Float6E3M2},
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

bool is_packed(DataType type) { return bit_size(type) % 8 != 0; }

size_t packed_bytes(DataType type, int64_t count) { return (static_cast<size_t>(count) * bit_size(type) + 7) / 8; }

/// Elements below eight bits follow each other without gaps, the first in the lowest bits.
/// Source: onnx.proto, comments of TensorProto.raw_data.
void unpack(Tensor& tensor, std::span<const uint8_t> bytes) {
  auto* out = static_cast<uint8_t*>(tensor.mutable_raw());
  const size_t bits = bit_size(tensor.type());
  const unsigned mask = (1U << bits) - 1;
  const bool is_signed = tensor.type() == DataType::Int4 || tensor.type() == DataType::Int2;
  for (size_t i = 0; i < static_cast<size_t>(tensor.element_count()); ++i) {
    const size_t byte = i * bits / 8, shift = i * bits % 8;
    const unsigned next = byte + 1 < bytes.size() ? bytes[byte + 1] : 0U;
    const unsigned element = ((bytes[byte] | next << 8) >> shift) & mask;
    out[i] = static_cast<uint8_t>(is_signed && element >> (bits - 1) ? element | ~mask : element);
  }
}

std::string pack(const Tensor& tensor) {
  const auto* in = static_cast<const uint8_t*>(tensor.raw());
  const size_t bits = bit_size(tensor.type());
  std::string packed(packed_bytes(tensor.type(), tensor.element_count()), '\0');
  const auto add = [&](size_t byte, unsigned value) {
    packed[byte] = static_cast<char>(static_cast<uint8_t>(packed[byte]) | (value & 0xff));
  };
  for (size_t i = 0; i < static_cast<size_t>(tensor.element_count()); ++i) {
    const size_t byte = i * bits / 8, shift = i * bits % 8;
    const unsigned element = (in[i] & ((1U << bits) - 1)) << shift;
    add(byte, element);
    if (shift + bits > 8) add(byte + 1, element >> 8);
  }
  return packed;
}

Tensor from_raw(const onnx::TensorProto& proto, DataType type, const Shape& shape) {
  const std::string& raw = proto.raw_data();
  const auto count = static_cast<size_t>(shape.element_count());
  const size_t expected = packed_bytes(type, shape.element_count());
  if (raw.size() != expected) wrong_size(shape, type, expected, raw.size(), "bytes");
  if (is_packed(type)) {
    Tensor tensor(type, shape);
    unpack(tensor, {reinterpret_cast<const uint8_t*>(raw.data()), raw.size()});
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

/// One packed byte an entry.
Tensor from_packed_field(const onnx::TensorProto& proto, DataType type, const Shape& shape) {
  const size_t expected = packed_bytes(type, shape.element_count());
  const std::vector<uint8_t> bytes(proto.int32_data().begin(), proto.int32_data().end());
  if (bytes.size() != expected) wrong_size(shape, type, expected, bytes.size(), "packed values");
  Tensor tensor(type, shape);
  unpack(tensor, bytes);
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
    case DataType::Float8E4M3FN:
    case DataType::Float8E4M3FNUZ:
    case DataType::Float8E5M2:
    case DataType::Float8E5M2FNUZ:
    case DataType::Float8E8M0:
    case DataType::Float6E2M3:
    case DataType::Float6E3M2: return from_field<uint8_t>(proto.int32_data(), type, shape);  // packed in raw_data only
    case DataType::Int4:
    case DataType::UInt4:
    case DataType::Int2:
    case DataType::UInt2:
    case DataType::Float4E2M1: return from_packed_field(proto, type, shape);
    case DataType::Undefined:
    case DataType::String:
    case DataType::Sequence: break;
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
  if (is_packed(tensor.type())) {
    proto.set_raw_data(pack(tensor));
  } else {
    proto.set_raw_data(tensor.raw(), tensor.byte_count());
  }
}

}  // namespace detent
