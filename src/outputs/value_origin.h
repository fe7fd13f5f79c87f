#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/graph/value_shapes.h"

namespace detent {

/// The operator that gives a value its numbers, behind movement of data, codes and limits.
enum class LastStep : uint8_t {
  Other,
  Layer,    ///< Conv, Gemm or MatMul with weights, also behind activations
  Softmax,  ///< or LogSoftmax
  Sigmoid,  ///< or HardSigmoid
  Tanh,
  UnitLength,  ///< a division by the length of a vector
  Normalized,  ///< LayerNormalization, also written out, and its like
  Pooled,      ///< a mean or a maximum over places, behind which no layer stands
  Sum,         ///< of two computed values
  Indices      ///< of an ArgMax or TopK
};

struct ValueOrigin {
  LastStep step = LastStep::Other;
  std::string op = {};  ///< the operator
  /// Axis of the value: of a Softmax or normalization, else the one whose extent the weights of a layer give.
  std::optional<int64_t> axis = {};
  bool from_weights = false;    ///< weights give the extent of `axis`
  bool weights_cancel = false;  ///< of the last layer, they add up to nothing over `axis`: Softmax trains logits so
  std::string chosen_by = {};   ///< a Softmax, ArgMax or TopK that reads the numbers along `axis`; "": none
};

/// Follows a value back to the operator that gives its numbers.
/// shapes  of one run; values without a shape are not followed
[[nodiscard]] ValueOrigin find_origin(const Graph& graph, const ValueShapes& shapes, ValueId value);

}  // namespace detent
