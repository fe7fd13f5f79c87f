#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/source_request.h"

namespace detent {

/// True for .wav .wave and .flac in any case.
[[nodiscard]] bool has_audio_extension(const std::filesystem::path& path);

/// A single audio file: one sample.
[[nodiscard]] bool is_audio(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_audio(const SourceRequest& request);

/// A folder with audio files, searched recursively, natural order by path.
/// Errors  InvalidData where it holds images too.
[[nodiscard]] bool is_audio_folder(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_audio_folder(const SourceRequest& request);

/// Opens the clips `names` below `root`, in this order; read() decodes them.
/// Errors  Usage listing the presets without a preprocessing; those of AudioTransform.
[[nodiscard]] std::unique_ptr<DataSource> open_clips(const std::filesystem::path& root, std::vector<std::string> names,
                                                     const SourceRequest& request);

}  // namespace detent
