#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/pixels.h"

namespace detent {

/// What the module of datasets/codecs does with its image library. Thread-safe.
struct ImageCodecs {
  /// Another number for every change of this struct, or of the types that its functions take.
  static constexpr uint64_t kVersion =
      0x646574656e740002;  // "detent" and a count: no module without the word has it by chance
  uint64_t version = kVersion;

  enum class Decoding : uint8_t {
    Bgr,          ///< BGR of 8 or 16 bits, EXIF orientation applied
    BgrAsStored,  ///< BGR of 8 or 16 bits, EXIF orientation ignored
    AsStored,     ///< channels and depth as in the file, EXIF orientation ignored
  };
  /// No pixels: no image that the library knows. False, and why: the library threw.
  bool (*decode)(const std::vector<unsigned char>& bytes, Decoding how, Pixels& pixels, std::string& error);
  /// 8-bit pixels in another size.
  Pixels (*resize)(const Pixels& pixels, PixelSize size, PreprocessSpec::Interpolation interpolation);
  /// 8-bit BGR as one channel of brightness.
  Pixels (*gray)(const Pixels& bgr);
};

/// Those functions, of a module that is loaded once for the whole process: from beside the program or library that
/// holds this code, else from where `cmake --install` puts it; for a program or library that was not installed with it,
/// that is the prefix of the build.
/// Errors  Internal when the module is in neither place, cannot be loaded, or has
/// another version.
[[nodiscard]] const ImageCodecs& load_codecs();

}  // namespace detent
