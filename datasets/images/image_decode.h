#pragma once

#include <filesystem>
#include <optional>

#include "datasets/images/pixels.h"

namespace detent {

/// An image, and its size in the file, upright: `pixels` may be a half, a quarter or an eighth as long and wide.
struct DecodedImage {
  Pixels pixels;
  PixelSize whole;
};

/// Decodes one image file into 8-bit BGR, 3 channels: EXIF orientation applied, alpha dropped, gray repeated, 16-bit
/// pixels scaled to 8 (v / 257, rounded). Prints nothing. Thread-safe.
/// sufficient_side  a JPEG may be decoded at a half, a quarter or an eighth of its size if its short side stays at
/// least as long; nothing: at its size
///
/// Wrong codes inside a JPEG's compressed data with intact markers are not noticed.
/// Errors  InvalidData naming the file and the place: unreadable, empty, not an image or one of another format,
/// truncated, float pixels, more pixels than its data can hold, more than --max-memory or 900 MB permit (according to
/// the header, before pixels are allocated).
[[nodiscard]] DecodedImage decode_image(const std::filesystem::path& path,
                                        std::optional<int> sufficient_side = std::nullopt);

/// Returns the pixels of the file with its channels and depth, EXIF orientation ignored; palettes are expanded. Checks
/// and errors as above.
[[nodiscard]] Pixels decode_image_as_stored(const std::filesystem::path& path);

}  // namespace detent
