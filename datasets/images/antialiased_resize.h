#pragma once

#include <cstdint>

#include "datasets/images/pixels.h"

namespace detent {

/// The kernels of Pillow's resize: the triangle, and Keys' cubic kernel with a = -0.5.
enum class ResizeKernel : uint8_t { Bilinear, Bicubic };

/// Resizes 8-bit pixels as Pillow does, to the bit: the kernel is as wide as the reduction, so that every pixel of a
/// larger image counts; first along rows, then along columns, each rounded to 8 bits from weights of 22 bits. An axis
/// that keeps its length is not filtered. Pillow 13 goes along columns first in some tall pictures.
/// image  not empty, of any number of channels
/// size   both sides at least 1
/// Source  Pillow 9.4, Resample.c; R. Keys, "Cubic convolution interpolation for digital image processing", 1981.
[[nodiscard]] Pixels antialiased_resize(const Pixels& image, PixelSize size, ResizeKernel kernel);

}  // namespace detent
