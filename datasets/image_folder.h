#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/source_request.h"

namespace detent {

/// .jpg .jpeg .png .bmp .webp .tif .tiff .ppm .pgm .pbm .pnm in any case.
[[nodiscard]] bool has_image_extension(const std::filesystem::path& path);

/// A single image file: a source of one sample.
[[nodiscard]] bool is_image(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_image(const SourceRequest& request);

/// Any folder; open_image_folder reports when it holds no images. Searched recursively, natural order by path.
[[nodiscard]] bool is_image_folder(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_image_folder(const SourceRequest& request);

/// The images `names` below `root`, in this order; decoded by read().
/// Errors  Usage listing the presets when `preprocess` is empty; those of ImageTransform.
[[nodiscard]] std::unique_ptr<DataSource> open_images(const std::filesystem::path& root, std::vector<std::string> names,
                                                      const FeedInput& input, std::string_view preprocess);

}  // namespace detent
