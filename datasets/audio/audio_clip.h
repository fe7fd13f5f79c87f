#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace detent {

/// One channel of sound. Integer samples of b bits are divided by 2^(b - 1).
struct AudioClip {
  int rate = 0;  ///< samples a second
  std::vector<float> samples;
};

/// The header of a clip.
struct AudioHead {
  uint64_t rate = 0, channels = 0;
  uint64_t frames = 0;  ///< one sample of each channel; 0: unknown
};

/// Takes what a decoder reads.
class AudioSink {
 public:
  virtual ~AudioSink() = default;
  /// Errors  InvalidData for a rate outside 1000 to 768000, no channel, a channel that is not there, and more samples
  ///         than --max-memory holds.
  virtual void begin(const AudioHead& head) = 0;
  /// Takes one sample of each channel.
  /// Errors  InvalidData for NaN and infinity.
  virtual void add(std::span<const float> frame) = 0;
};

/// Makes one channel of several.
class ChannelMixer final : public AudioSink {
 public:
  /// channel       counted from 0; nothing: the mean of all.
  /// stored_bytes  size of the clip's file
  ChannelMixer(std::optional<int> channel, uint64_t stored_bytes) : channel_(channel), stored_bytes_(stored_bytes) {}

  void begin(const AudioHead& head) override;
  void add(std::span<const float> frame) override;
  /// Errors  InvalidData without samples.
  [[nodiscard]] AudioClip finish();

 private:
  /// Errors  InvalidData for more samples than memory, or a file of this size, may hold.
  void check_size(uint64_t samples) const;

  std::optional<int> channel_;
  uint64_t stored_bytes_;
  AudioClip clip_;
};

/// Reads WAV: integers of 8, 16, 24 and 32 bits, floats of 32 and 64. Sizes of 2^32 - 1 reach to the end of the file.
/// Errors  InvalidData with the place: truncated, damaged, another coding; those of `sink`.
void decode_wav(const std::vector<unsigned char>& bytes, AudioSink& sink);

/// Reads a .wav or .flac; the first bytes tell which.
/// Errors  InvalidData naming the file, also for more than 900 MB to decode, which a small file of silence may claim:
/// 75
///         million samples, unless each byte of the file holds 16 or fewer.
[[nodiscard]] AudioClip read_audio(const std::filesystem::path& path, std::optional<int> channel = {});

}  // namespace detent
