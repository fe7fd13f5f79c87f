#pragma once

#include <string>
#include <vector>

#include "datasets/pixels.h"

namespace detent {

/// What the module of datasets/codecs does with its image library. Thread-safe.
struct ImageCodecs {
  /// BGR of 8 or 16 bits with EXIF orientation applied, or as_stored. No pixels: no image that the library knows. False, and why: the
  /// library threw.
  bool (*decode)(const std::vector<unsigned char>& bytes, bool as_stored, Pixels& pixels, std::string& error);
  /// 8-bit pixels in another size.
  Pixels (*resize)(const Pixels& pixels, PixelSize size, PreprocessSpec::Interpolation interpolation);
  /// 8-bit BGR as one channel of brightness.
  Pixels (*gray)(const Pixels& bgr);
};

/// Those functions, of a module that is loaded once for the whole process: from beside the program or library that holds this code,
/// from where `cmake --install` puts it relative to that, or from where the linker looks.
/// Errors  Internal with the linker's reason when it is nowhere.
[[nodiscard]] const ImageCodecs& load_codecs();

}  // namespace detent
