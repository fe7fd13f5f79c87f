#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/image_integrity.h"

namespace detent {

struct ImageSize {
  uint64_t width = 0, height = 0;
  uint64_t channel_bytes = 1;  ///< 2 for more than 8 bits a channel
};

/// What the header of a JPEG, PNG, WebP, BMP, binary PNM or TIFF promises, before anything is decoded. Nothing for
/// other formats, and where the header is cut or says nothing.
/// Source  ITU-T T.81 (SOF markers), PNG 2nd edition
/// (IHDR), RFC 9649 (VP8X, VP8L), RFC 6386 (VP8), TIFF 6.0 (tags 256, 257, 258).
[[nodiscard]] std::optional<ImageSize> claimed_size(const std::vector<unsigned char>& bytes, ImageFormat format);

/// Refuses an image whose 3 channels would not fit --max-memory.
/// Errors  InvalidData with size and bytes.
void check_image_size(const std::vector<unsigned char>& bytes, ImageFormat format);

}  // namespace detent
