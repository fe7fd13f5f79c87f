#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// Places in a network where factors of channels can be put in and taken out without changing its results.
enum class EqualizeFamily : uint8_t {
  Gate,     ///< x * gate(x) before a weighted op: the factor goes onto the small gate
  Relu,     ///< weighted op -> Relu, LeakyRelu, PRelu, Clip -> weighted op
  Linear,   ///< values that are only added and read by weighted ops: residual streams
  Norm,     ///< outputs of a normalization: the factor goes into its scale and shift
  Act,      ///< x * Sigmoid(x), HardSwish: a Mul behind the activation, fused into its kernel by some engines
  Product,  ///< a * b of which a layer makes one, as SwiGLU's: the factor goes into that layer
  Value,    ///< attention's values, from the layer that makes them to the one behind the heads
  Branch,   ///< outputs of a normalization that others read too: a Mul in front of the layers, fused by some engines
};
inline constexpr EqualizeFamily kEqualizeFamilies[] = {
    EqualizeFamily::Gate, EqualizeFamily::Linear,  EqualizeFamily::Relu,  EqualizeFamily::Norm,
    EqualizeFamily::Act,  EqualizeFamily::Product, EqualizeFamily::Value, EqualizeFamily::Branch};

/// "gate", "relu", "linear", "norm", "act", "product", "value", "branch".
[[nodiscard]] constexpr std::string_view name_of(EqualizeFamily family) {
  constexpr std::string_view kNames[] = {"gate", "relu", "linear", "norm", "act", "product", "value", "branch"};
  return kNames[static_cast<size_t>(family)];
}

/// A value whose channels are multiplied by factors; of the family Branch only where layers read it, by a Mul.
struct EqualizedValue {
  EqualizeFamily family = EqualizeFamily::Gate;
  int32_t from_right = 0;      ///< axes behind the one that counts channels
  std::vector<float> factors;  ///< one a channel, positive and finite
  friend bool operator==(const EqualizedValue&, const EqualizedValue&) = default;
};

/// A change of representation: multiplies the channels of each named value by its factors and adapts the operands of
/// the nodes around it, so that every other value stays the same.
struct Equalization {
  std::map<std::string, EqualizedValue> values;  ///< by name
  std::map<std::string, int32_t> gates;          ///< name of a product of x and a gate -> slot of the gate
  std::vector<std::string> activations;          ///< nodes that get a Mul behind them, sorted
  [[nodiscard]] bool empty() const { return values.empty(); }
  friend bool operator==(const Equalization&, const Equalization&) = default;
};

}  // namespace detent
