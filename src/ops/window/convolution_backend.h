#pragma once

#include <memory>

#include "ops/kernel.h"
#include "ops/window/post_ops.h"
#include "ops/window/window.h"

namespace detent {

/// One execution of a Conv or ConvTranspose whose shapes are checked.
struct ConvolutionStep {
  const Tensor& input;  ///< channels-last; codes where the backend takes them
  const Tensor& weights;
  const Window& window;
  const Shape& output;
  int threads = 1;
};

/// A library's convolution for one node.
class ConvolutionBackend {
 public:
  virtual ~ConvolutionBackend() = default;
  /// True when the data may be codes of this type instead of floats.
  [[nodiscard]] virtual bool takes_codes(DataType type) const = 0;
  /// Computes output 0 of the call, with bias and fused followers.
  virtual void run(const ConvolutionStep& step, KernelCall& call) const = 0;
};

/// Makes the backend of this build; nullptr where Detent's kernels compute every convolution.
/// post_ops  outlives the backend.
[[nodiscard]] std::unique_ptr<const ConvolutionBackend> make_convolution_backend(const KernelContext& context,
                                                                                 const PostOps& post_ops);
/// True when that backend takes codes as data. It makes floats of them itself where it has no kernel for them.
[[nodiscard]] bool backend_takes_codes(const KernelContext& context);

}  // namespace detent
