#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

/// What the module of datasets/codecs defines. Pixels as OpenCV decodes them: BGR of 8 or 16 bits with EXIF orientation applied, or
/// as_stored. No pixels: no image that it knows. False, and why: the library threw. Thread-safe.
using DecodePixels = bool(const std::vector<unsigned char>& bytes, bool as_stored, cv::Mat& pixels, std::string& error);
extern "C" DecodePixels detent_decode_pixels;

namespace detent {

/// That function, of a module that is loaded once for the whole process: from beside the program or library that holds this code,
/// from where `cmake --install` puts it relative to that, or from where the linker looks.
/// Errors  Internal with the linker's reason when it is nowhere.
[[nodiscard]] DecodePixels& load_codecs();

}  // namespace detent
