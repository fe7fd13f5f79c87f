#include "datasets/audio_folder.h"

#include "core/files/reach.h"
#include "datasets/audio/audio_transform.h"
#include "datasets/base/natural_order.h"
#include "datasets/image_folder.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

/// Audio files, decoded when read.
class AudioSource final : public DataSource {
 public:
  AudioSource(fs::path root, std::vector<std::string> names, AudioTransform transform)
      : root_(std::move(root)), names_(std::move(names)), transform_(std::move(transform)) {}

  size_t size() const override { return names_.size(); }
  std::string sample_name(size_t i) const override { return names_[i]; }
  Sample read(size_t i) const override {
    const fs::path path = root_ / names_[i];
    const AudioClip clip = read_audio(path, transform_.spec().channel);
    try {
      return {i, names_[i], transform_.apply(clip)};
    } catch (const Error& error) {
      throw error.in(path.string());
    }
  }

 private:
  fs::path root_;
  std::vector<std::string> names_;
  AudioTransform transform_;
};

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
  if (request.preprocess.empty()) {
    std::string presets;
    for (const PreprocessPreset& preset : audio_presets())
      presets +=
          "\n  " + std::string(preset.name) + std::string(11 - preset.name.size(), ' ') + std::string(preset.summary);
    throw Error(ErrorCode::Usage,
                request.src + ": audio needs --preprocess, which must be the features used in training",
                "choose a preset; key=value pairs behind it change it:" + presets);
  }
  return std::make_unique<AudioSource>(
      root, std::move(names),
      AudioTransform(parse_audio_preprocess(request.preprocess), request.inputs, request.masks));
}

}  // namespace detent
