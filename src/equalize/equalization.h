#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// Places in a network where factors of channels can be put in and taken out without changing its results.
enum class EqualizeFamily : uint8_t {
  Gate,    ///< x * gate(x) before a weighted op: the factor goes onto the small gate
  Relu,    ///< weighted op -> Relu, LeakyRelu, PRelu, Clip -> weighted op
  Linear,  ///< values that are only added and read by weighted ops: residual streams
  Norm,    ///< what a normalization's scale and shift write
  Act,  ///< x * Sigmoid(x), HardSwish: a Mul behind the activation, in its kernel where engines fuse element by element
};
inline constexpr EqualizeFamily kEqualizeFamilies[] = {EqualizeFamily::Gate, EqualizeFamily::Linear,
                                                       EqualizeFamily::Relu, EqualizeFamily::Norm, EqualizeFamily::Act};

/// "gate", "relu", "linear", "norm", "act".
[[nodiscard]] std::string_view name_of(EqualizeFamily family);

/// A value whose channels are multiplied by factors.
struct EqualizedValue {
  EqualizeFamily family = EqualizeFamily::Gate;
  int32_t from_right = 0;      ///< how many axes lie behind the one that counts channels
  std::vector<float> factors;  ///< one a channel, positive and finite
  friend bool operator==(const EqualizedValue&, const EqualizedValue&) = default;
};

/// A change of representation: the channels of each value named are multiplied by its factors, and the operands of the
/// nodes around it make up for it, so that every other value stays the same.
struct Equalization {
  std::map<std::string, EqualizedValue> values;  ///< by name of the value
  std::map<std::string, int32_t> gates;  ///< product of x and a gate, by name of the node -> slot that reads the gate
  std::vector<std::string> activations;  ///< nodes that get a Mul behind them, sorted
  [[nodiscard]] bool empty() const { return values.empty(); }
  friend bool operator==(const Equalization&, const Equalization&) = default;
};

}  // namespace detent
