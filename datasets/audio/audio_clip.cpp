#include "datasets/audio/audio_clip.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/files/file_bytes.h"
#include "core/index.h"
#include "core/memory_limit.h"
#include "core/stop.h"
#include "datasets/base/file_numbers.h"
#include "datasets/images/load_codecs.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// Names a format that is not read by its first bytes; "" for none that is known.
std::string other_audio_format(const FileNumbers& file) {
  if (file.has("RF64", 0) || file.has("BW64", 0)) return "WAV beyond 4 GB";
  if (file.has("FORM", 0)) return "AIFF";
  if (file.has("OggS", 0)) return "Ogg";
  if (file.has("NIST_1A", 0)) return "NIST SPHERE";
  if (file.has("ftyp", 4)) return "MP4";
  if (file.has("ID3", 0) || (file.byte(0) == 0xFF && file.byte(1) >= 0xE0)) return "MP3";
  return {};
}

void decode_clip(const std::vector<unsigned char>& bytes, AudioSink& sink) {
  const FileNumbers file(bytes, true);
  if (bytes.empty()) throw Error(ErrorCode::InvalidData, "the file is empty (0 bytes)");
  if (file.has("RIFF", 0) && file.has("WAVE", 8)) return decode_wav(bytes, sink);
  if (file.has("fLaC", 0)) {
    std::string error;
    if (!load_codecs().decode_flac(bytes, sink, error)) throw Error(ErrorCode::InvalidData, error);
    return;
  }
  const std::string other = other_audio_format(file);
  throw Error(ErrorCode::InvalidData, other.empty() ? "the file is neither WAV nor FLAC" : other + " is not read",
              "WAV and FLAC are: ffmpeg -i IN OUT.flac");
}

}  // namespace

void ChannelMixer::begin(const AudioHead& head) {
  constexpr uint64_t kLeastRate = 1000, kMostRate = 768000;
  if (head.rate < kLeastRate || head.rate > kMostRate)
    throw Error(ErrorCode::InvalidData, "the clip has " + std::to_string(head.rate) + " samples a second; " +
                                            std::to_string(kLeastRate) + " to " + std::to_string(kMostRate) +
                                            " are possible");
  if (head.channels == 0) throw Error(ErrorCode::InvalidData, "the clip has no channel");
  if (channel_ && static_cast<uint64_t>(*channel_) >= head.channels)
    throw Error(ErrorCode::InvalidData, "the clip has no channel " + std::to_string(*channel_) +
                                            "; its channels are 0 to " + std::to_string(head.channels - 1));
  check_size(head.frames);
  clip_.rate = static_cast<int>(head.rate);
}

void ChannelMixer::check_size(uint64_t samples) const {
  constexpr uint64_t kMostDecodingBytes = 900'000'000;  // as of images
  constexpr uint64_t kBytes = 3 * sizeof(float);        // of a sample: the clip while it grows, and the input
  constexpr uint64_t kMostPacked = 16;                  // samples that sound with noise leaves in a byte
  const auto clip = [&] { return "a clip of " + std::to_string(samples) + " samples"; };
  check_memory(samples * sizeof(float), clip);
  if (samples <= kMostDecodingBytes / kBytes || samples / kMostPacked <= stored_bytes_) return;
  throw Error(ErrorCode::InvalidData,
              clip() + " in " + memory_text(stored_bytes_) + " takes more than " + memory_text(kMostDecodingBytes) +
                  " to decode",
              "cut it into shorter ones");
}

void ChannelMixer::add(std::span<const float> frame) {
  for (size_t c = 0; c < frame.size(); ++c)
    if (!std::isfinite(frame[c]))
      throw Error(ErrorCode::InvalidData, "sample " + std::to_string(clip_.samples.size()) + " of channel " +
                                              std::to_string(c) + " is " + (std::isnan(frame[c]) ? "NaN" : "infinite"));
  constexpr size_t kChecked = size_t{1} << 20;  // samples between two looks at the memory: a header may not count them
  if (clip_.samples.size() % kChecked == 0) {
    check_size(clip_.samples.size() + kChecked);
    stop_if_interrupted();
  }
  const double sum = std::accumulate(frame.begin(), frame.end(), 0.0);
  clip_.samples.push_back(channel_ ? frame[as_index(*channel_)]
                                   : static_cast<float>(sum / static_cast<double>(frame.size())));
}

AudioClip ChannelMixer::finish() {
  if (clip_.samples.empty()) throw Error(ErrorCode::InvalidData, "the clip holds no samples");
  return std::move(clip_);
}

AudioClip read_audio(const std::filesystem::path& path, std::optional<int> channel) {
  const auto file = FileBytes::open(path);
  check_memory(file->size(), [&] { return path.string() + ": the file"; });
  std::vector<unsigned char> bytes(file->size());
  file->read(0, bytes.data(), bytes.size());
  try {
    ChannelMixer mixer(channel, bytes.size());
    decode_clip(bytes, mixer);
    return mixer.finish();
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

}  // namespace detent
