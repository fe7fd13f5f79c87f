#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/audio/audio_clip.h"
#include "datasets/audio/audio_preprocess.h"
#include "datasets/base/array_fit.h"

namespace detent {

/// Turns clips into the inputs of a model: the only input of floats that is no mask gets the features or samples,
/// inputs of its length that tell padding from content get 1 for content and 0 for padding, and integers whose name
/// contains "len" get the number of positions with content.
class AudioTransform {
 public:
  /// masks  inputs that are 0 at padding, besides those called attention_mask, padding_mask or input_mask
  /// Errors  Usage: no or several inputs could hold the signal, or one has no part in it; InvalidData: the number of
  ///         bands or the length do not fit the model.
  AudioTransform(const AudioSpec& spec, std::span<const FeedInput> inputs, std::span<const std::string> masks);

  /// Returns one tensor for each input, in their order.
  /// Errors  InvalidData for a clip that is too short, or a mask whose fixed length is another one.
  [[nodiscard]] std::vector<Tensor> apply(const AudioClip& clip) const;
  [[nodiscard]] const AudioSpec& spec() const { return spec_; }

 private:
  enum class Role : uint8_t { Signal, Mask, Length };
  /// Features by frame, and how many of the frames are not padding.
  struct Signal {
    AudioFeatures features;
    int64_t content = 0;
  };

  [[nodiscard]] FbankOptions fbank_options() const;
  [[nodiscard]] int64_t frames_of(int64_t samples) const;
  /// Sets the axes, the number of bands and the length.
  void fit_signal(const FeedInput& input);
  [[nodiscard]] Signal signal_of(const AudioClip& clip) const;
  [[nodiscard]] Tensor signal_tensor(const AudioFeatures& features, const FeedInput& input) const;
  [[nodiscard]] Tensor mask_tensor(const Signal& signal, const FeedInput& input) const;

  AudioSpec spec_;
  std::vector<FeedInput> inputs_;
  std::vector<Role> roles_;
  int64_t bins_ = 1;
  size_t time_axis_ = 0, mel_axis_ = 0;  // of the signal; equal for samples
  std::optional<int64_t> frames_;        // fixed by the model or by seconds
};

}  // namespace detent
