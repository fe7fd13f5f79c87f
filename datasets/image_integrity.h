#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace detent {

/// The format of an image file.
enum class ImageFormat { Unknown, Jpeg, Png, WebP, Bmp, Pnm, Tiff };

/// Recognises a file by its first bytes and checks that it is complete, as far as its format permits: JPEG by following
/// the markers to the end marker, PNG chunk by chunk with checksums, WebP, BMP and binary PNM by the length in their
/// headers. TIFF, compressed BMP and text PNM are left to the decoder.
/// Errors  InvalidData, without a file name, when it is truncated, a checksum is wrong, or a WebP is animated.
ImageFormat check_image_complete(const std::vector<unsigned char>& bytes);

/// Returns a complete PNG without the chunks that affect neither pixels nor orientation: libpng prints messages about
/// some of them.
[[nodiscard]] std::vector<unsigned char> essential_png(const std::vector<unsigned char>& bytes);

/// The size that an image's header claims.
struct ImageSize {
  uint64_t width = 0, height = 0;
  uint64_t channel_bytes = 1;  ///< 2 for more than 8 bits a channel
};

/// Returns the size in the header of a JPEG, PNG, WebP, BMP, binary PNM or TIFF, without decoding. nullopt for other
/// formats, and when the header is cut or has no size.
/// Source  ITU-T T.81 (SOF markers), PNG 2nd edition (IHDR), RFC 9649 (VP8X, VP8L), RFC 6386 (VP8), TIFF 6.0 (tags 256,
/// 257, 258).
[[nodiscard]] std::optional<ImageSize> claimed_size(const std::vector<unsigned char>& bytes, ImageFormat format);

/// Refuses an image whose 3 channels exceed --max-memory.
/// Errors  InvalidData with size and bytes.
void check_image_size(const std::vector<unsigned char>& bytes, ImageFormat format);

}  // namespace detent
