#pragma once

#include <vector>

#include "datasets/images/image_claim.h"

namespace detent {

/// Decodes a PBM, PGM or PPM: BGR, or gray where `as_stored` and the file is. More than 255 levels give 16 bits. Levels
/// written as text are scaled to 255 if there are fewer than 256; binary ones stay as they are.
/// Source  the manual pages pbm(5), pgm(5), ppm(5); levels as OpenCV 4.6 reads them.
/// Errors  InvalidData, without a file name, with the byte: no valid header, truncated, not a number; and those of
/// `admit`.
[[nodiscard]] Pixels decode_pnm(const std::vector<unsigned char>& bytes, bool as_stored, const AdmitImage& admit);

}  // namespace detent
