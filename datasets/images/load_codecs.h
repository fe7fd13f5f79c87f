#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "datasets/images/image_claim.h"
#include "datasets/images/image_integrity.h"
#include "datasets/images/pixels.h"

namespace detent {

struct DrawnBox;
class AudioSink;

/// The functions of the module in datasets/codecs. Thread-safe.
struct Codecs {
  /// "detent" and a number that changes with this struct and the types that its functions take.
  static constexpr uint64_t kVersion = 0x646574656e740006;
  uint64_t version = kVersion;

  struct Request {
    const std::vector<unsigned char>& bytes;  ///< of a complete file
    ImageFormat format;                       ///< Jpeg, Png, WebP or Tiff
    bool as_stored;                           ///< channels and depth of the file; else BGR of 8 or 16 bits
    int sufficient_side;  ///< a JPEG may be decoded at 1/2, 1/4 or 1/8 of its size if its short side stays so long; 0:
                          ///< no
    const AdmitImage& admit;
  };
  struct Result {
    Pixels pixels;        ///< as they lie in the file
    PixelSize whole;      ///< the size in the file
    int orientation = 1;  ///< TIFF's: how the pixels still have to be turned
  };
  /// Decodes an image and prints nothing. False, and the reason with its place in the file: the file is damaged, or
  /// holds what is not read (floats, 12 bits). Exceptions of `admit` pass through.
  bool (*decode)(const Request& request, Result& result, std::string& error);
  /// Resizes 8-bit pixels, by none of Pillow's filters.
  Pixels (*resize)(const Pixels& pixels, PixelSize size, PreprocessSpec::Interpolation interpolation);
  /// Converts 8-bit BGR to one channel of brightness.
  Pixels (*gray)(const Pixels& bgr);
  /// As draw_boxes().
  Pixels (*draw)(const Pixels& bgr, std::span<const DrawnBox> boxes);
  /// Decodes a FLAC. As decode(); exceptions of `sink` pass through.
  bool (*decode_flac)(const std::vector<unsigned char>& bytes, AudioSink& sink, std::string& error);
  /// Return 8-bit BGR as the bytes of a file; empty where the library cannot.
  std::string (*encode_png)(const Pixels& bgr);
  std::string (*encode_jpeg)(const Pixels& bgr);
};

/// Loads the module once for the whole process: from the folder of the program or library that contains this code, else
/// from where `cmake --install` puts it; the prefix of the build for a program or library that was not installed with
/// it.
/// Errors  Internal when the module is in neither place, cannot be loaded, or has another version.
[[nodiscard]] const Codecs& load_codecs();

/// Returns "OpenCV 4.6.0", the library that resizes images.
[[nodiscard]] std::string dataset_library_versions();

}  // namespace detent
