#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/model.h"

namespace detent {

/// The result of expand_operators().
struct Expansion {
  std::map<std::string, int64_t> operators;  ///< replaced nodes by operator: "com.microsoft.FusedConv"
  struct Kept {
    std::string node, op_type, reason;
  };
  std::vector<Kept> kept;  ///< nodes whose form has no expansion
};

/// Replaces operators of ONNX Runtime (domain com.microsoft, and those that its optimizer writes into ONNX's domain) by
/// operators of ONNX that compute the same, in the main graph and in the graphs inside it. Inner values and nodes get
/// the name of the node as prefix. Weights in blocks (MatMulNBits) become float constants.
/// Source  onnxruntime, docs/ContribOperators.md; tests compare with the kernels of its CPU provider.
Expansion expand_operators(Model& model);

/// Refuses a model with nodes whose form has no expansion.
/// Errors  Unsupported naming the first of them and the reason.
void refuse_kept(const Expansion& expansion);

}  // namespace detent
