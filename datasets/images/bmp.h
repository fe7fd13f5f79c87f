#pragma once

#include <vector>

#include "datasets/images/image_claim.h"

namespace detent {

/// Decodes a BMP of 1, 4, 8, 16, 24 or 32 bits a pixel, with or without run lengths: 8-bit BGR. Colours of 16 and 32
/// bits lie where the header's masks say; the highest value of a field is 255, others are cut: v * 255 / highest, as in
/// Pillow. `as_stored`: gray where its palette is, and four channels of 32 bits with masks. Pixels that run lengths
/// leave out have the palette's first colour.
/// Source  Microsoft's BITMAPFILEHEADER, BITMAPINFOHEADER to BITMAPV5HEADER, and OS/2's BITMAPCOREHEADER; channels as
/// OpenCV 4.6 reads them: OS/2's colours as gray `as_stored`.
/// Errors  InvalidData, without a file name, with the byte: a header that is none of these, masks that overlap or have
/// gaps, truncated, run lengths that leave the picture; and those of `admit`.
[[nodiscard]] Pixels decode_bmp(const std::vector<unsigned char>& bytes, bool as_stored, const AdmitImage& admit);

}  // namespace detent
