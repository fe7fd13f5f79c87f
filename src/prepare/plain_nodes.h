#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "model/model.h"

namespace detent {

// Small patches that replace nodes by plain ones. Each applies its patch and returns the number of nodes removed.

/// Lets every reader of Identity(constant) read the constant and removes the Identity. Exporters that store equal
/// tensors once leave such nodes, which hide that a weight or bias is constant. An Identity that writes a graph output,
/// or is read in a subgraph, stays.
size_t forward_constants(Model& model);

/// Lets readers of a Cast to the type that comes read its input, and removes it. One stays where a subgraph reads it.
/// among  names of the nodes to look at; nullptr: all.
size_t forward_empty_casts(Model& model, const std::set<std::string>* among = nullptr);

/// Does the same with a Dropout of ratio 0 whose mask nothing reads. In training mode TensorRT's parser refuses it.
size_t forward_empty_dropouts(Model& model);

/// True for a Sum with two inputs.
[[nodiscard]] bool is_sum_of_two(const Node& node);

/// Replaces every Sum with two inputs by an Add of the same name. Some exporters write residual adds as Sum; engines
/// have INT8 kernels for Add only. The opset must be 8 at least.
/// Source  ONNX Sum-8, Add-7: both broadcast, on the same types.
size_t make_adds_of_sums(Model& model);

/// Replaces every CastLike whose output type is known by a Cast, so that its second input may change its type. ONNX
/// Runtime 1.30 refuses a CastLike to FP16 that reads FP16.
size_t replace_cast_likes(Model& model);

/// Leaves out the outputs of LSTM, GRU and RNN that nothing reads; ONNX lets each be absent. Returns their number.
/// ONNX Runtime makes a node unit only where a QuantizeLinear stands behind every output that has a name.
size_t leave_out_unread_states(Model& model);

}  // namespace detent
