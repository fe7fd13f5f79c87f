#pragma once

#include <vector>

#include "datasets/pixels.h"

namespace detent {

/// The EXIF orientation of a WebP file, 1 to 8: 1 where the file has none, or one that cannot be read.
/// Source  RFC 9649 (WebP container), chunk EXIF; EXIF 2.32, tag 0x0112.
[[nodiscard]] int webp_orientation(const std::vector<unsigned char>& bytes);

/// The pixels as they are to be shown: mirrored or turned as the EXIF orientation says. 1: the same pixels. The depth is not Other.
[[nodiscard]] Pixels turned_upright(const Pixels& pixels, int orientation);

}  // namespace detent
