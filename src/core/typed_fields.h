#pragma once

#include <type_traits>
#include <vector>

#include "core/index.h"
#include "core/packed_elements.h"
#include "detent/base/error.h"

namespace detent {

/// Elements of an onnx::TensorProto without raw_data. A template, so that the model reader and the data sets share it
/// without a dependency on protobuf here.
template <class Proto>
class TypedFields {
 public:
  /// code  the error of a field of the wrong size: a broken model or broken data
  TypedFields(const Proto& proto, ErrorCode code) : proto_(proto), code_(code) {}

  /// Reads the field that onnx.proto (comments of TensorProto) names for the type.
  /// Errors  `code` for a wrong number of elements.
  [[nodiscard]] Tensor read(DataType type, const Shape& shape) const {
    switch (type) {
      case DataType::Float32: return from<float>(proto_.float_data(), type, shape);
      case DataType::Float64: return from<double>(proto_.double_data(), type, shape);
      case DataType::Int64: return from<int64_t>(proto_.int64_data(), type, shape);
      case DataType::UInt64: return from<uint64_t>(proto_.uint64_data(), type, shape);
      case DataType::UInt32: return from<uint32_t>(proto_.uint64_data(), type, shape);
      case DataType::Int32: return from<int32_t>(proto_.int32_data(), type, shape);
      case DataType::Int16: return from<int16_t>(proto_.int32_data(), type, shape);
      case DataType::Int8: return from<int8_t>(proto_.int32_data(), type, shape);
      case DataType::Bool: return from<bool>(proto_.int32_data(), type, shape);
      case DataType::UInt16:
      case DataType::Float16:
      case DataType::BFloat16: return from<uint16_t>(proto_.int32_data(), type, shape);
      default: break;
    }
    const bool six_bits = bit_size(type) == 6;  // packed in raw_data only
    return is_packed(type) && !six_bits ? unpacked(type, shape) : from<uint8_t>(proto_.int32_data(), type, shape);
  }

 private:
  template <class T>
  Tensor from(const auto& field, DataType type, const Shape& shape) const {
    check(shape, as_index(shape.element_count()), as_index(field.size()), "values");
    Tensor tensor(type, shape);
    auto* out = static_cast<T*>(tensor.mutable_raw());
    for (int i = 0; i < field.size(); ++i) {
      if constexpr (std::is_same_v<T, bool>)
        out[i] = field[i] != 0;
      else
        out[i] = static_cast<T>(field[i]);
    }
    return tensor;
  }

  /// Reads one packed byte per entry.
  Tensor unpacked(DataType type, const Shape& shape) const {
    const std::vector<uint8_t> bytes(proto_.int32_data().begin(), proto_.int32_data().end());
    check(shape, stored_bytes(type, shape.element_count()), bytes.size(), "packed values");
    Tensor tensor(type, shape);
    unpack(bytes, tensor);
    return tensor;
  }

  void check(const Shape& shape, size_t expected, size_t found, std::string_view unit) const {
    if (expected == found) return;
    throw Error(code_, "a tensor of shape " + shape.to_string() + " needs " + std::to_string(expected) + " " +
                           std::string(unit) + " but holds " + std::to_string(found));
  }

  const Proto& proto_;
  ErrorCode code_;
};

}  // namespace detent
