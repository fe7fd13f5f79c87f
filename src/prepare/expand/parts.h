#pragma once

#include "core/float_type.h"
#include "prepare/expand/body.h"

namespace detent::expand {

// Operators in the form of the model's opset. All return the new value.

Name transpose(Body& body, const Name& value, std::vector<int64_t> perm);
/// extents  0 keeps an extent, -1 is computed
Name reshape(Body& body, const Name& value, std::vector<int64_t> extents);
Name unsqueeze(Body& body, const Name& value, std::vector<int64_t> axes);
Name concat(Body& body, Names values, int64_t axis);
/// Elements [first, last) of an axis, every `step`-th. Bounds are lists of one int64.
Name slice(Body& body, const Name& value, int64_t axis, const Name& first, const Name& last, int64_t step = 1);
Name slice(Body& body, const Name& value, int64_t axis, int64_t first, int64_t last, int64_t step = 1);
/// Element `index` of an axis, which disappears.
Name take(Body& body, const Name& value, int64_t axis, int64_t index);
Name reduce(Body& body, const char* op_type, const Name& value, std::vector<int64_t> axes, bool keepdims = true);
Name cast_to(Body& body, const Name& value, DataType type);
/// The extent of an axis of a value when it runs: a list of one int64.
Name extent_of(Body& body, const Name& value, int64_t axis);
/// The numbers 0 ... count - 1, int64 [count]; `count` is a list of one int64.
Name range(Body& body, const Name& count);
/// Swaps the last two axes; by Einsum when the rank is unknown.
Name swap_last(Body& body, const Name& value, std::optional<size_t> rank);

/// Applies an activation that a fused operator names: Relu, LeakyRelu, HardSigmoid, Clip ...; "" and "Identity": none.
/// Errors  refuses others.
struct FusedActivation {
  std::string name;
  std::vector<float> numbers;  ///< alpha, beta or min, max, in the order of the fused operator
};
Name activate(Body& body, const Name& value, const FusedActivation& activation, DataType type);

}  // namespace detent::expand
