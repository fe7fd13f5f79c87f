#pragma once

#include "model/graph/graph.h"

namespace onnx {
class TypeProto;
}

namespace detent {

/// Copies the facts that a value_info, input or output states: element type, extents (-1 where open), list or optional.
/// The value keeps a fact that the declaration leaves open, and its type where Detent does not have the declared one.
void declare(Value& value, const onnx::TypeProto& type);

}  // namespace detent
