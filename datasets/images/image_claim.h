#pragma once

#include <cstdint>
#include <functional>

#include "core/index.h"
#include "datasets/images/pixels.h"

namespace detent {

/// An image's size as its header has it, and the bytes that decoding takes.
struct ImageClaim {
  uint64_t width = 0, height = 0;
  uint64_t pixel_bytes = 0;    ///< of the decoded pixels
  uint64_t further_bytes = 0;  ///< beside them: of the decoder, and of 8-bit copies of 16-bit pixels
};

/// Called by a decoder when it knows the header, before it allocates pixels.
/// Errors  InvalidData where the image is too large.
using AdmitImage = std::function<void(const ImageClaim&)>;

/// Returns width * height * pixel, at most 2^64 - 1.
inline uint64_t bytes_of_pixels(uint64_t width, uint64_t height, uint64_t pixel) {
  uint64_t bytes = 0;
  return __builtin_mul_overflow(width, height, &bytes) || __builtin_mul_overflow(bytes, pixel, &bytes) ? UINT64_MAX
                                                                                                       : bytes;
}

}  // namespace detent
