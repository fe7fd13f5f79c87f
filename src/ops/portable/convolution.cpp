#include "ops/window/convolution_backend.h"

namespace detent {

std::unique_ptr<const ConvolutionBackend> make_convolution_backend(const KernelContext& /*context*/,
                                                                   const PostOps& /*post_ops*/) {
  return nullptr;
}

bool backend_takes_codes(const KernelContext& /*context*/) { return false; }

}  // namespace detent
