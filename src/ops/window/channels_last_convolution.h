#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "ops/operator.h"
#include "ops/window/window.h"

namespace detent {

/// A 2-D convolution of one fixed shape with constant weights.
struct ConvolutionProblem {
  Shape input, output;    ///< N x C x H x W and N x O x H' x W'
  const Window& window;   ///< two spatial axes
  const Tensor& weights;  ///< float, plain: O x C/group x k x k
  int64_t group = 1;
};

/// What happens to an output element while it is still in a register: y = clamp(sum + bias[channel] + residual, low, high).
/// NaN stays NaN.
struct RegisterFinish {
  const float* bias = nullptr;      ///< one a channel; nullptr: none
  const float* residual = nullptr;  ///< lies in memory like the output; nullptr: none
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

/// Called with each stretch of the output that RegisterFinish is done with, [begin, end) in elements from its start, while it
/// is in cache. May be called from several threads, never twice for one element.
class StretchFinish {
 public:
  virtual ~StretchFinish() = default;
  virtual void finish(size_t begin, size_t end) const = 0;
};

/// Convolution kernels of our own, for channels-last float tensors. An element's value does not depend on `team`.
class ChannelsLastConvolution {
 public:
  virtual ~ChannelsLastConvolution() = default;
  /// rest  nullptr: nothing is left to do. team  threads to use.
  virtual void run(const float* input, float* output, const RegisterFinish& finish, const StretchFinish* rest,
                   Workspace& workspace, int team) const = 0;
};

/// 3 x 3 with stride 1 through the minimal filtering F(2x2, 3x3): 16 products where the definition has 36. Rounding errors
/// grow about twofold.
///
/// nullptr  where it does not apply (another window, groups, channels that are no multiples of 16) or would not pay.
/// Source   A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.
[[nodiscard]] std::unique_ptr<const ChannelsLastConvolution> make_winograd(const ConvolutionProblem& problem);

}  // namespace detent
