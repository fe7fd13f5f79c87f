#pragma once

#include <vector>

#include "datasets/images/image_claim.h"

namespace detent {

/// Decodes a PBM, PGM or PPM: 8-bit BGR, the header's highest level as 255. `as_stored`: the levels as they stand,
/// which may be numbers of classes, of 16 bits where the header says more than 255, and gray where the file is.
/// Source  the manual pages pbm(5), pgm(5), ppm(5); rounding as in Pillow.
/// Errors  InvalidData, without a file name, with the byte: no valid header, truncated, not a number, a level above the
/// highest; and those of `admit`.
[[nodiscard]] Pixels decode_pnm(const std::vector<unsigned char>& bytes, bool as_stored, const AdmitImage& admit);

}  // namespace detent
