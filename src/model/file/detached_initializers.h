#pragma once

#include <onnx/onnx_pb.h>

namespace detent {

/// A guard that takes a graph's initializers out, so that the rest can be copied or written without the weights.
class DetachedInitializers {
 public:
  explicit DetachedInitializers(onnx::GraphProto& graph) : graph_(graph) { graph_.mutable_initializer()->Swap(&held_); }
  ~DetachedInitializers() { graph_.mutable_initializer()->Swap(&held_); }
  DetachedInitializers(const DetachedInitializers&) = delete;
  DetachedInitializers& operator=(const DetachedInitializers&) = delete;
  [[nodiscard]] const google::protobuf::RepeatedPtrField<onnx::TensorProto>& tensors() const { return held_; }

 private:
  onnx::GraphProto& graph_;
  google::protobuf::RepeatedPtrField<onnx::TensorProto> held_;
};

}  // namespace detent
