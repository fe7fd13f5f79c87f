#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "datasets/audio/audio_features.h"
#include "datasets/base/preprocess_pairs.h"

namespace detent {

/// A preprocessing of audio as written, independent of a model.
struct AudioSpec {
  enum class Kind : uint8_t { LogMel, Fbank, Waveform };
  enum class Layout : uint8_t { MelTime, TimeMel };

  Kind kind = Kind::Waveform;
  int rate = 16000;              ///< other rates are resampled
  std::optional<int> channel;    ///< nothing: the mean of all
  std::optional<int> bins;       ///< of mel bands; nothing: the model's, else 80
  std::optional<Layout> layout;  ///< of features; nothing: the one that fits the model
  /// Length to which clips are cut, or filled with silence, where the model leaves it open; 0: each has its length.
  std::optional<double> seconds;  ///< nothing: 30 for log-mel, else 0
  double scale = 1;               ///< factor of samples, which are from -1 to 1
  double low = 20, high = 0;      ///< as in FbankOptions
  bool snip_edges = true;
  bool normalize = false;  ///< each clip to mean 0 and variance 1, before `mean` and `std`
  double mean = 0, std = 1;
};

/// Returns the presets of audio.
[[nodiscard]] std::span<const PreprocessPreset> audio_presets();

/// True when the text begins with a preset of audio.
[[nodiscard]] bool is_audio_preprocess(std::string_view text);

/// Parses "PRESET" or "PRESET,key=value,...".
/// Errors  Usage naming the pair that is wrong and what is possible.
[[nodiscard]] AudioSpec parse_audio_preprocess(std::string_view text);

}  // namespace detent
