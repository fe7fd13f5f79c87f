#pragma once

#include <cstdint>
#include <memory>

#include "ops/kernel.h"
#include "ops/simd/register_finish.h"
#include "ops/window/window.h"

namespace detent {

/// A convolution of one fixed shape.
struct ConvolutionProblem {
  Shape input, output;  ///< N x C x ... and N x O x ..., one to three spatial axes
  const Window& window;
  const Tensor& weights;  ///< float, plain: O x C/group x ...; transposed: C x O/group x ...
  int64_t group = 1;
  bool transposed = false;
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
/// multiples of 16, transposed) or would not pay.
/// Source  A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.
[[nodiscard]] std::unique_ptr<const ChannelsLastConvolution> make_winograd(const ConvolutionProblem& problem);

/// Makes a kernel for any problem: each output pixel is a product of the pixels under its window with the weights,
/// which it packs.
[[nodiscard]] std::unique_ptr<const ChannelsLastConvolution> make_direct(const ConvolutionProblem& problem);

}  // namespace detent
