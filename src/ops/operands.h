#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/kernel.h"

namespace detent {

/// Returns the elements of an integer tensor of any type, in plain order. Errors  InvalidModel when it holds no
/// integers.
[[nodiscard]] std::vector<int64_t> integers_of(const Tensor& tensor);
/// Checks that there is an element. Errors  InvalidModel otherwise.
void check_not_empty(const Tensor& tensor);
/// Returns the first element as float, for any numeric type. Errors  InvalidModel when there is none.
[[nodiscard]] float scalar_of(const Tensor& tensor);

/// Returns the first element of a tensor of T. Errors  InvalidModel when there is none or the tensor holds another
/// type.
template <class T>
[[nodiscard]] T first_of(const Tensor& tensor) {
  check_not_empty(tensor);
  return tensor.data<T>()[0];
}

/// Returns `axis` counted from the front. Errors  InvalidModel when it lies outside [-rank, rank).
[[nodiscard]] size_t axis_from_front(int64_t axis, size_t rank);
/// Returns an array that is true at the axes listed. Errors  as above.
[[nodiscard]] std::array<bool, Shape::kMaxRank> axes_from_front(const std::vector<int64_t>& axes, size_t rank);
/// Returns 0 ... rank - 1.
[[nodiscard]] std::vector<int64_t> all_axes(size_t rank);

/// A word that a string attribute may hold, and what it stands for.
template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

/// Returns what the word in a string attribute stands for; `fallback` is the word where the attribute is left out.
/// Errors  Unsupported for a word that is not in the table.
template <class Value, size_t count>
Value value_named(const Node& node, std::string_view attribute, std::string_view fallback,
                  const Named<Value> (&words)[count]) {
  const std::string name = node.string_or(attribute, std::string(fallback));
  for (const Named<Value>& word : words)
    if (word.name == name) return word.value;
  throw Error(ErrorCode::Unsupported, "attribute " + std::string(attribute) + "='" + name + "'");
}

/// A list of integers (axes, pads, split ...) that older opsets write as an attribute and newer ones as an input.
class IntegerOperand {
 public:
  /// Reads constant inputs, once. slot  < 0 when there is only the attribute.
  IntegerOperand(const KernelContext& context, std::string_view attribute, int slot);
  /// Returns the list; nullopt when it is left out.
  [[nodiscard]] std::optional<std::vector<int64_t>> values(const KernelCall& call) const;

 private:
  std::optional<std::vector<int64_t>> fixed_;
  int slot_;
};

/// Checks that two operands, which a kernel reads as one type, have one. Errors  InvalidModel otherwise.
void check_same_type(const Tensor& a, const Tensor& b);

/// Returns the error for a type that an operator cannot take.
[[nodiscard]] Error unsupported_type(DataType type);

/// Calls visit(T{}) with the storage type of numeric `type` (half types are not numbers here). Errors  Unsupported
/// otherwise.
template <class Visitor>
decltype(auto) visit_number(DataType type, Visitor&& visit) {
  switch (type) {
    case DataType::Float32: return visit(float{});
    case DataType::Float64: return visit(double{});
    case DataType::Int8:
    case DataType::Int4:
    case DataType::Int2: return visit(int8_t{});
    case DataType::Int16: return visit(int16_t{});
    case DataType::Int32: return visit(int32_t{});
    case DataType::Int64: return visit(int64_t{});
    case DataType::UInt8:
    case DataType::UInt4:
    case DataType::UInt2: return visit(uint8_t{});
    case DataType::UInt16: return visit(uint16_t{});
    case DataType::UInt32: return visit(uint32_t{});
    case DataType::UInt64: return visit(uint64_t{});
    default: throw unsupported_type(type);
  }
}

/// Calls visit(T{}) with float or double. Errors  Unsupported for another type.
template <class Visitor>
decltype(auto) visit_float(DataType type, Visitor&& visit) {
  switch (type) {
    case DataType::Float32: return visit(float{});
    case DataType::Float64: return visit(double{});
    default: throw unsupported_type(type);
  }
}

/// Calls visit(T{}) with an unsigned type of `bytes` bytes: for kernels that only move elements.
template <class Visitor>
decltype(auto) visit_size(size_t bytes, Visitor&& visit) {
  switch (bytes) {
    case 1: return visit(uint8_t{});
    case 2: return visit(uint16_t{});
    case 4: return visit(uint32_t{});
    default: return visit(uint64_t{});
  }
}

}  // namespace detent
