#pragma once

#include <cstdint>
#include <optional>

#include "ops/traits.h"

namespace detent {

/// An activation of several nodes: a Mul of x and a gate that is computed from x alone.
struct SelfGatedActivation {
  enum class Gate : uint8_t {
    Sigmoid,      ///< x * Sigmoid(x)
    HardSigmoid,  ///< x * HardSigmoid(x)
    Clip,  ///< x * Clip(x + 3) / 6, the division anywhere. With a Clip its numbers may be any; Min, Max or Relu in
           ///< its place, or x / 6 as the other factor, only where that is HardSwish
  };
  Gate form = Gate::Sigmoid;
  OpKind kind = OpKind::OtherActivation;  ///< Silu, or HardSwish where a HardSigmoid has its parameters
  ValueId input{};                        ///< x
  NodeId gate{};                          ///< the Sigmoid or HardSigmoid; of a Clip the first node before it
  NodeId product{};                       ///< the Mul
  /// The product is this number times HardSwish(x): 1, or 6 where the division comes behind the product; 0 for another
  /// function.
  float hard_swish = 0;
};

/// Returns the pattern that ends in `product`; nullopt when there is none. Others may read a Sigmoid or HardSigmoid
/// too; the values between x, Clip and `product` have one reader each.
///
/// HardSwish: the gate is Clip(x / 6 + 1/2) between 0 and 1, or a multiple of it, within 1e-6, the bound of running it
/// as one kernel. Exporters write 1/6 with seven digits or more.
[[nodiscard]] std::optional<SelfGatedActivation> self_gated_activation(const Graph& graph, const Node& product);

}  // namespace detent
