#pragma once

#include <vector>

#include "datasets/images/image_integrity.h"
#include "datasets/images/pixels.h"

namespace detent {

constexpr int kUpright = 1;  ///< the EXIF orientation that changes nothing

/// Returns the orientation of a complete JPEG, PNG or WebP, 1 to 8; kUpright when the file has none or an unreadable
/// one. The first directory of its EXIF decides, wherever that stands and in whatever byte order; without one there the
/// file's XMP, unless it is packed.
/// Source  EXIF 2.32, tag 0x0112; PNG 3rd edition (eXIf); RFC 9649 (WebP, chunk EXIF); Pillow's order of the two.
[[nodiscard]] int exif_orientation(const std::vector<unsigned char>& bytes, ImageFormat format);

/// Mirrors or turns pixels as an orientation of EXIF or TIFF says; the depth is not Other.
[[nodiscard]] Pixels turned_upright(const Pixels& pixels, int orientation);

}  // namespace detent
