#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "datasets/images/pixels.h"
#include "datasets/images/preprocess.h"
#include "detent/base/tensor.h"

namespace detent {

/// Turns the image among the inputs of one sample back into 8-bit BGR pixels of its size.
///
/// inputs      of batch 1; the first one of four axes is the image.
/// preprocess  undone where it is given: deviation, mean, divisor and order of the channels. Without it the smallest
///             finite value becomes 0, the largest 255, and three channels are red, green and blue.
/// Channels    one is gray; of two or more than three the first one, or the first three, are shown.
/// Empty       no input has four axes -> no pixels.
[[nodiscard]] Pixels picture_of(std::span<const Tensor> inputs, const std::optional<PreprocessSpec>& preprocess);

/// A frame with a text on a ground of its colour.
struct DrawnBox {
  float left = 0, top = 0, right = 0, bottom = 0;  ///< in pixels
  std::string text = {};                           ///< ASCII
  std::array<uint8_t, 3> bgr = {};
  int width = 1;       ///< of the line, in pixels
  bool below = false;  ///< the text stands below the frame, not above it
};

/// Returns a copy of 8-bit BGR pixels with frames, later ones over earlier ones. Parts outside of the picture are cut
/// off; a frame with an edge that is not finite is left out.
[[nodiscard]] Pixels draw_boxes(const Pixels& bgr, std::span<const DrawnBox> boxes);

/// Returns 8-bit pixels that are at most so wide, with the same proportions.
[[nodiscard]] Pixels shrink(const Pixels& pixels, int width);

/// Returns 8-bit BGR pixels as the bytes of a PNG or JPEG file.
/// Errors  Internal where the library cannot.
[[nodiscard]] std::string encode_png(const Pixels& bgr);
[[nodiscard]] std::string encode_jpeg(const Pixels& bgr);

}  // namespace detent
