#pragma once

#include <vector>

namespace detent {

enum class ImageFormat { Unknown, Jpeg, Png, WebP, Bmp, Pnm, Tiff };

/// Recognises a file by its first bytes and checks that it is all there, as far as its format tells: JPEG by walking
/// the markers to the end marker, PNG chunk by chunk with checksums, WebP, BMP and binary PNM by the length that their
/// headers promise. TIFF, compressed BMP and PNM as text are left to the decoder.
/// Errors  InvalidData, without a file
/// name, when it is truncated, a checksum is wrong, or a WebP is animated.
ImageFormat check_image_complete(const std::vector<unsigned char>& bytes);

/// A complete PNG without the chunks that touch neither pixels nor orientation: libpng prints about some of them.
[[nodiscard]] std::vector<unsigned char> essential_png(const std::vector<unsigned char>& bytes);

}  // namespace detent
