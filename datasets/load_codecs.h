#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "datasets/pixels.h"

namespace detent {

struct DrawnBox;

/// The functions of the module in datasets/codecs. Thread-safe.
struct ImageCodecs {
  /// "detent" and a number that changes with this struct and the types that its functions take.
  static constexpr uint64_t kVersion = 0x646574656e740004;
  uint64_t version = kVersion;

  enum class Decoding : uint8_t {
    Bgr,          ///< BGR of 8 or 16 bits, EXIF orientation applied
    BgrAsStored,  ///< BGR of 8 or 16 bits, EXIF orientation ignored
    AsStored,     ///< channels and depth as in the file, EXIF orientation ignored
  };
  /// Decodes an image; a JPEG at 1 / `reduction` of its size, which is 1, 2, 4 or 8, and 1 for other formats. No
  /// pixels: not a format of the library. False, and the reason: the library threw.
  bool (*decode)(const std::vector<unsigned char>& bytes, Decoding how, int reduction, Pixels& pixels,
                 std::string& error);
  /// Resizes 8-bit pixels, by none of Pillow's filters.
  Pixels (*resize)(const Pixels& pixels, PixelSize size, PreprocessSpec::Interpolation interpolation);
  /// Converts 8-bit BGR to one channel of brightness.
  Pixels (*gray)(const Pixels& bgr);
  /// As draw_boxes().
  Pixels (*draw)(const Pixels& bgr, std::span<const DrawnBox> boxes);
  /// Returns 8-bit BGR as the bytes of a file with this ending (".png", ".jpg"); empty where the library cannot.
  std::string (*encode)(const Pixels& bgr, const char* ending);
};

/// Loads the module once for the whole process: from the folder of the program or library that contains this code, else
/// from where `cmake --install` puts it; the prefix of the build for a program or library that was not installed with
/// it.
/// Errors  Internal when the module is in neither place, cannot be loaded, or has another version.
[[nodiscard]] const ImageCodecs& load_codecs();

/// Returns "OpenCV 4.6.0", the library that decodes images.
[[nodiscard]] std::string dataset_library_versions();

}  // namespace detent
