#pragma once

#include <cstdint>
#include <memory>

#include "ops/kernel.h"
#include "ops/simd/register_finish.h"
#include "ops/window/window.h"

namespace detent {

/// A 2-D convolution of one fixed shape with constant weights.
struct ConvolutionProblem {
  Shape input, output;    ///< N x C x H x W and N x O x H' x W'
  const Window& window;   ///< two spatial axes
  const Tensor& weights;  ///< float, plain: O x C/group x k x k
  int64_t group = 1;
};

/// A convolution kernel of Detent for channels-last float tensors. An element's value does not depend on `team`.
class ChannelsLastConvolution {
 public:
  virtual ~ChannelsLastConvolution() = default;
  /// Computes the output. rest  nullptr: nothing is left to do. team  threads to use.
  virtual void run(const float* input, float* output, const RegisterFinish& finish, const StretchFinish* rest,
                   Workspace& workspace, int team) const = 0;
};

/// Makes a kernel for 3 x 3 windows with stride 1 through the minimal filtering F(2x2, 3x3): 16 products instead of 36.
/// Rounding errors grow about twofold. nullptr where it does not apply (another window, groups, channels that are no
/// multiples of 16) or would not pay.
/// Source  A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.
[[nodiscard]] std::unique_ptr<const ChannelsLastConvolution> make_winograd(const ConvolutionProblem& problem);

}  // namespace detent
