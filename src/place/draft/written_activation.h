#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "place/draft/graph_facts.h"

namespace detent {

/// An activation that several nodes compute: a function of one value, element by element.
struct WrittenActivation {
  enum class Form : uint8_t {
    Gated,  ///< a product of x and a gate of Sigmoid, HardSigmoid, Clip or Relu and constants: SiLU, Swish, HardSwish
    Gelu,   ///< with Erf, or with Tanh of a polynomial
    Other,  ///< Mish, PRelu, Softsign ...
  };
  Form form = Form::Other;
  ValueId input{};            ///< x
  std::vector<NodeId> nodes;  ///< all of its nodes in execution order; the last one writes the activation
};

/// Returns the activation that ends in `last`, which joins two values or more that are computed from one value x:
/// x * Tanh(Softplus(x)), Relu(x) + a * (x - |x|). nullopt when there is none: the values have no common x behind
/// operators that are not elementwise, more than 12 nodes compute them, another node reads a value inside, or the
/// function is a polynomial.
[[nodiscard]] std::optional<WrittenActivation> written_activation(const GraphFacts& facts, NodeId last);

/// Returns that activation if its form is Gated: engines run it in the kernel of the layer before it. nullopt
/// otherwise.
[[nodiscard]] std::optional<WrittenActivation> gated_activation(const GraphFacts& facts, NodeId last);

}  // namespace detent
