#pragma once

#include <cstddef>

#include "model/model.h"

namespace detent {

/// Replaces every call of a model-local function by the function's nodes, in the main graph and in subgraphs, and
/// removes the functions. Inner values and nodes get the name of the calling node as prefix.
///
/// Attributes that the body refers to come from the call, else from the function's defaults (a field newer than libonnx
/// 1.12, read from the unknown fields), else they are left out. Operator sets that only a function imports are added to
/// the model.
/// Output  number of calls replaced; 0 and an unchanged model when there are none.
/// Errors  InvalidModel: see check_calls(). Unsupported: a function written for another version of an operator than the
/// model's operator set has. The message names the function.
/// Source  ONNX IR specification, "Functions" (IR version 8).
size_t inline_functions(Model& model);

}  // namespace detent
