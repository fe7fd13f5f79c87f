#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/tensor.h"

namespace detent {

/// A set of element types.
class TypeSet {
 public:
  void add(DataType type) { bits_ |= bit(type); }
  void add(TypeSet other) { bits_ |= other.bits_; }
  [[nodiscard]] bool contains(DataType type) const { return (bits_ & bit(type)) != 0; }
  /// The only type of the set; Undefined where there are several or none.
  [[nodiscard]] DataType only() const;
  /// "float, float16 or bfloat16".
  [[nodiscard]] std::string text() const;
  friend bool operator==(TypeSet, TypeSet) = default;

 private:
  static uint64_t bit(DataType type) { return uint64_t{1} << static_cast<unsigned>(type); }
  uint64_t bits_ = 0;
};

/// The types that an operator of ONNX's own domain takes and makes, from one opset on. Parameters with the same
/// variable have the same type.
struct TypeSignature {
  struct Variable {
    std::string_view name;  ///< "T"; of a parameter with one type that type's word
    TypeSet types;
  };
  struct Output {
    int variable = 0;
    std::string_view attribute;                   ///< names the type where no input does; empty: none
    int default_variable = -1;                    ///< without the attribute the output has the type of this variable
    DataType default_type = DataType::Undefined;  ///< or this type
  };
  int since = 1;
  std::vector<Variable> variables;
  std::vector<int> inputs;  ///< variables
  std::vector<Output> outputs;
  bool repeats_input = false, repeats_output = false;  ///< the last one stands for any number

  /// Index into `variables`; -1 for a slot that the operator does not have.
  [[nodiscard]] int input(size_t slot) const;
  /// nullptr for a slot that the operator does not have.
  [[nodiscard]] const Output* output(size_t slot) const;
};

/// The signature in force at `opset`; nullptr for operators that the table does not list, and opsets older than the
/// operator. Not listed: operators that hold graphs (If, Loop, Scan, SequenceMap), Constant, and those of optionals.
[[nodiscard]] const TypeSignature* find_type_signature(std::string_view op_type, int64_t opset);

/// All versions of an operator, oldest first; empty for one that the table does not list.
[[nodiscard]] std::span<const TypeSignature> type_signatures(std::string_view op_type);

/// Reads one row of the table, whose notation operator_types.cpp explains. Errors  Internal for a malformed row.
[[nodiscard]] std::vector<TypeSignature> parse_type_signatures(std::string_view text);

}  // namespace detent
