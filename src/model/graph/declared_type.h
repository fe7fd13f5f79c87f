#pragma once

#include "model/graph/graph.h"

namespace onnx {
class TypeProto;
}

namespace detent {

/// Writes what a value_info, input or output says of a value: element type, extents (-1 where open), list or optional.
/// What it leaves open, or what Detent has no type for, stays as it is.
void declare(Value& value, const onnx::TypeProto& type);

}  // namespace detent
