#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/source_request.h"

namespace detent {

/// True for .jpg .jpeg .png .bmp .webp .tif .tiff .ppm .pgm .pbm .pnm in any case.
[[nodiscard]] bool has_image_extension(const std::filesystem::path& path);

/// A single image file: one sample.
[[nodiscard]] bool is_image(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_image(const SourceRequest& request);

/// Any folder, searched recursively, natural order by path; open_image_folder reports when it holds no images.
[[nodiscard]] bool is_image_folder(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_image_folder(const SourceRequest& request);

/// Opens the images `names` below `root`, in this order; read() decodes them.
/// Errors  Usage listing the presets when `preprocess` is empty; those of ImageTransform.
[[nodiscard]] std::unique_ptr<DataSource> open_images(const std::filesystem::path& root, std::vector<std::string> names,
                                                      const FeedInput& input, const Preprocess& preprocess);

}  // namespace detent
