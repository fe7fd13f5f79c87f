#pragma once

#include "model/graph/graph.h"

namespace onnx {
class TypeProto;
}

namespace detent {

/// Copies the facts that a value_info, input or output states: element type, extents (-1 where open), list or optional.
/// A fact that it leaves open, or a type that Detent has none for, leaves the value as it is.
void declare(Value& value, const onnx::TypeProto& type);

}  // namespace detent
