#pragma once

#include "place/draft/certain_shapes.h"

namespace detent {

/// Nanoseconds of a node in ONNX Runtime Web (WebAssembly, one thread).
struct KernelTimes {
  double floats = 0;   ///< on floats
  double codes = 0;    ///< on codes, which something else makes
  double dynamic = 0;  ///< products: from floats to floats, with scales at run time
};

/// Predicts the times of kernels from the extents of values: those of the samples, else those that the graph fixes,
/// with 1 for an open first axis and 16 for other open ones.
class WebKernels {
 public:
  /// facts  must outlive this object
  explicit WebKernels(const GraphFacts& facts) : facts_(facts), certain_(facts) {}

  /// Returns zeros for a node that has one form, or unknown extents.
  [[nodiscard]] KernelTimes times(const Node& node);
  /// Returns what a QuantizeLinear, or a DequantizeLinear, takes for a value.
  [[nodiscard]] double quantizing(ValueId value);
  [[nodiscard]] double dequantizing(ValueId value);

 private:
  /// Returns no extents where the rank is not known.
  [[nodiscard]] std::vector<int64_t> extents(MaybeValue value);
  [[nodiscard]] double elements(MaybeValue value);
  [[nodiscard]] KernelTimes convolution(const Node& conv);
  [[nodiscard]] KernelTimes product(const Node& product);

  const GraphFacts& facts_;
  CertainShapes certain_;
};

}  // namespace detent
