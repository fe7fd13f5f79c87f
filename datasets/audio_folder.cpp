#include "datasets/audio_folder.h"

#include "core/files/reach.h"
#include "datasets/audio/audio_transform.h"
#include "datasets/base/made_sources.h"
#include "datasets/base/natural_order.h"
#include "datasets/image_folder.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

Sample read_clip(const fs::path& path, const AudioTransform& transform) {
  const AudioClip clip = read_audio(path, transform.spec().channel);
  try {
    Sample sample;
    sample.inputs = transform.apply(clip);
    sample.seconds = clip.rate > 0 ? static_cast<double>(clip.samples.size()) / clip.rate : 0;
    return sample;
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

}  // namespace

bool has_audio_extension(const fs::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".wav" || extension == ".wave" || extension == ".flac";
}

bool is_audio(const std::string& src) { return has_audio_extension(src) && !is_folder(src); }

std::unique_ptr<DataSource> open_audio(const SourceRequest& request) {
  const fs::path path(request.src);
  return open_clips(path.parent_path(), {path.filename().string()}, request);
}

bool is_audio_folder(const std::string& src) {
  return is_folder(src) && !files_below(src, has_audio_extension).empty();
}

std::unique_ptr<DataSource> open_audio_folder(const SourceRequest& request) {
  if (const auto images = files_below(request.src, has_image_extension); !images.empty())
    throw Error(ErrorCode::InvalidData,
                request.src + ": the folder holds audio and images (" + images.front() +
                    "), so it is not clear which are meant",
                "name a folder with one kind, or a .txt list of the files");
  return open_clips(request.src, files_below(request.src, has_audio_extension), request);
}

std::unique_ptr<DataSource> open_clips(const fs::path& root, std::vector<std::string> names,
                                       const SourceRequest& request) {
  if (request.preprocess.text.empty()) {
    std::string presets;
    for (const PreprocessPreset& preset : audio_presets())
      presets +=
          "\n  " + std::string(preset.name) + std::string(11 - preset.name.size(), ' ') + std::string(preset.summary);
    throw Error(ErrorCode::Usage,
                request.src + ": audio needs --preprocess, which must be the features used in training",
                "choose a preset; key=value pairs behind it change it:" + presets);
  }
  const auto& [text, images, audio] = request.preprocess;
  const AudioSpec spec = audio ? *audio : parse_audio_preprocess(text);  // refuses what is for images
  const AudioTransform transform(spec, request.inputs, request.masks);
  return decoded_files(root, std::move(names),
                       [transform](const fs::path& path) { return read_clip(path, transform); });
}

}  // namespace detent
