#pragma once

#include <filesystem>
#include <opencv2/core.hpp>
#include <vector>

namespace detent {

/// Decodes one image file into 8-bit BGR, 3 channels: EXIF orientation applied, alpha dropped, gray repeated, 16-bit pixels
/// scaled to 8 (v / 257, rounded). Prints nothing. Thread-safe.
///
/// JPEG files are walked marker by marker to their end marker and PNG files chunk by chunk with checksums first, because
/// the libraries fill what is missing of a truncated file with gray and report success. Damage inside a JPEG's compressed
/// data with intact markers is not noticed.
/// Errors  InvalidData naming the file: unreadable, empty, not an image, truncated, float pixels.
[[nodiscard]] cv::Mat decode_image(const std::filesystem::path& path);

/// Rewrites a complete PNG without the chunks that do not touch pixels or orientation (libpng prints about some of them).
/// Errors  InvalidData, without a file name, when it is truncated or a checksum is wrong.
[[nodiscard]] std::vector<unsigned char> essential_png(const std::vector<unsigned char>& bytes);

/// Errors  InvalidData, without a file name, when the markers do not lead to an end-of-image marker.
void check_jpeg_complete(const std::vector<unsigned char>& bytes);

}  // namespace detent
