#include "datasets/image_folder.h"

#include <algorithm>

#include "core/files/reach.h"
#include "core/text.h"
#include "datasets/base/made_sources.h"
#include "datasets/base/natural_order.h"
#include "datasets/images/image_decode.h"
#include "datasets/images/image_transform.h"
#include "datasets/images/preprocess.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

Sample read_image(const fs::path& path, const ImageTransform& transform) {
  const DecodedImage image = decode_image(path, transform.sufficient_side());
  try {
    return {.inputs = {transform.apply(image)}, .image_size = {image.whole.height, image.whole.width}};
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

[[noreturn]] void ask_for_preprocess(const fs::path& root) {
  std::string presets;
  for (const PreprocessPreset& preset : preprocess_presets())
    presets +=
        "\n  " + std::string(preset.name) + std::string(17 - preset.name.size(), ' ') + std::string(preset.summary);
  throw Error(ErrorCode::Usage,
              root.string() + ": images need --preprocess, which must be the preprocessing used in training",
              "choose a preset, or key=value pairs (resize, crop, letterbox, color, div, mean, std, interp, layout):" +
                  presets);
}

}  // namespace

bool has_image_extension(const fs::path& path) {
  static constexpr std::string_view kExtensions[] = {".jpg",  ".jpeg", ".png", ".bmp", ".webp", ".tif",
                                                     ".tiff", ".ppm",  ".pgm", ".pbm", ".pnm"};
  const std::string extension = lower_extension(path);
  return std::find(std::begin(kExtensions), std::end(kExtensions), extension) != std::end(kExtensions);
}

bool is_image(const std::string& src) { return has_image_extension(src) && !is_folder(src); }

std::unique_ptr<DataSource> open_image(const SourceRequest& request) {
  const fs::path path(request.src);
  return open_images(path.parent_path(), {path.filename().string()}, request.inputs.front(), request.preprocess);
}

bool is_image_folder(const std::string& src) { return is_folder(src); }

std::unique_ptr<DataSource> open_image_folder(const SourceRequest& request) {
  auto names = files_below(request.src, has_image_extension);
  if (names.empty())
    throw Error(
        ErrorCode::InvalidData, request.src + ": the folder holds no images, no audio and no .npy files",
        "images are recognised by .jpg .jpeg .png .bmp .webp .tif .tiff .ppm .pgm .pbm .pnm, audio by .wav and .flac");
  return open_images(request.src, std::move(names), request.inputs.front(), request.preprocess);
}

std::unique_ptr<DataSource> open_images(const fs::path& root, std::vector<std::string> names, const FeedInput& input,
                                        const Preprocess& preprocess) {
  if (preprocess.audio)
    throw Error(ErrorCode::Usage,
                "--preprocess: '" + preprocess.text + "' is for audio files, and the data holds images",
                "presets of images: " +
                    join(preprocess_presets(), ", ", [](const PreprocessPreset& preset) { return preset.name; }));
  if (!preprocess.images) ask_for_preprocess(root);
  ImageTransform transform(*preprocess.images, input.spec);
  if (input.batch_axis != 0)
    throw Error(ErrorCode::InvalidData,
                root.string() + ": an image has extent 1 on axis 0 of the input '" + input.spec.name + "' (" +
                    describe_shape(input.spec) + "), but that axis does not count samples",
                "--batch-axis " + input.spec.name + "=0 makes it count samples");
  return decoded_files(root, std::move(names), [transform = std::move(transform)](const fs::path& path) {
    return read_image(path, transform);
  });
}

}  // namespace detent
