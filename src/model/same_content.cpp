#include "model/same_content.h"

#include <onnx/onnx_pb.h>

#include "core/same_tensor.h"

namespace detent {

namespace {

template <class Repeated>
bool same_messages(const Repeated& a, const Repeated& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i)
    if (a.Get(i).SerializeAsString() != b.Get(i).SerializeAsString()) return false;
  return true;
}

bool same_initializers(const Model& a, const Model& b) {
  if (a.proto().graph().initializer_size() != b.proto().graph().initializer_size()) return false;
  for (const auto& initializer : a.proto().graph().initializer()) {
    const Tensor* left = a.graph().constant(a.graph().find_value(initializer.name()));
    const Tensor* right = b.graph().constant(b.graph().find_value(initializer.name()));
    if (!left || !right || !same_tensor(*left, *right)) return false;
  }
  return true;
}

}  // namespace

bool same_content(const Model& a, const Model& b) {
  const auto& left = a.proto().graph();
  const auto& right = b.proto().graph();
  return a.ir_version() == b.ir_version() && a.opsets() == b.opsets() && same_messages(left.node(), right.node()) &&
         same_messages(left.input(), right.input()) && same_messages(left.output(), right.output()) &&
         same_initializers(a, b);
}

}  // namespace detent
