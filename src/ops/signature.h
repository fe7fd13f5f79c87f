#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/tensor.h"

namespace detent {

/// A set of element types.
class TypeSet {
 public:
  constexpr void add(DataType type) { bits_ |= bit(type); }
  constexpr void add(TypeSet other) { bits_ |= other.bits_; }
  [[nodiscard]] constexpr bool contains(DataType type) const { return (bits_ & bit(type)) != 0; }
  /// Returns the only type of the set; Undefined for several or none.
  [[nodiscard]] constexpr DataType only() const {
    return std::has_single_bit(bits_) ? static_cast<DataType>(std::countr_zero(bits_)) : DataType::Undefined;
  }
  /// Returns "float, float16 or bfloat16".
  [[nodiscard]] std::string text() const;
  friend constexpr bool operator==(TypeSet, TypeSet) = default;

 private:
  static constexpr uint64_t bit(DataType type) { return uint64_t{1} << static_cast<unsigned>(type); }
  uint64_t bits_ = 0;
};

/// An input or output of an operator.
struct Parameter {
  enum class Presence {
    Required,     ///< NAME
    MayBeAbsent,  ///< NAME?  left out at the end, or with an empty name
    AnyNumber,    ///< NAME*  none or more, the last parameter
    OneOrMore,    ///< NAME+  the last parameter
  };
  std::string_view name;
  Presence presence = Presence::Required;
  int variable = -1;                            ///< its type, in Signature::variables; -1 where no types are known
  std::string_view attribute;                   ///< the attribute that names the type where no input does; empty: none
  int default_variable = -1;                    ///< without the attribute the output has the type of this variable
  DataType default_type = DataType::Undefined;  ///< or this type
  [[nodiscard]] constexpr bool repeats() const { return presence >= Presence::AnyNumber; }
};

/// An attribute that an operator reads.
struct AttributeRule {
  std::string_view name;
  std::string_view type;     ///< one of kAttributeTypes
  std::string_view choices;  ///< "a|b|c": the only strings allowed; "" -> any
  bool required = false;
  friend constexpr bool operator==(const AttributeRule&, const AttributeRule&) = default;
};

/// Types of attributes, in the order of AttributeValue (graph.h), which holds all except the last two.
inline constexpr std::string_view kAttributeTypes[] = {"int",     "float",  "string", "ints",          "floats",
                                                       "strings", "tensor", "graph",  "sparse_tensor", "type"};

/// A type of an operator; parameters of one variable have one type.
struct TypeVariable {
  std::string_view name;  ///< "T"; of a parameter with one type that type's word
  TypeSet types;
};

/// The form of a node of an operator from one opset on: its inputs, outputs, attributes and element types.
struct Signature {
  int since = 1;
  std::vector<Parameter> inputs, outputs;
  std::vector<AttributeRule> attributes;
  std::vector<TypeVariable> variables;  ///< empty where no types are known

  /// Return the parameter of a slot; nullptr for a slot that the operator does not have.
  [[nodiscard]] const Parameter* input(size_t slot) const;
  [[nodiscard]] const Parameter* output(size_t slot) const;
  /// True when inputs, outputs and attributes are those of `other`, whatever their types.
  [[nodiscard]] bool same_form(const Signature& other) const;
};

}  // namespace detent
