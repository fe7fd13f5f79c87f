// WAV without a library: a header and plain numbers.
// Source  Microsoft, "Multimedia Programming Interface and Data Specifications 1.0", 1991; WAVEFORMATEXTENSIBLE.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "core/index.h"
#include "datasets/audio/audio_clip.h"
#include "datasets/base/file_numbers.h"
#include "detent/base/error.h"

namespace detent {

namespace {

[[noreturn]] void refuse_wav(const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::InvalidData, what, hint);
}

constexpr uint64_t kInteger = 1, kFloat = 3, kExtensible = 0xFFFE;

std::string coding_name(uint64_t coding) {
  switch (coding) {
    case 2: return "ADPCM of Microsoft";
    case 6: return "A-law";
    case 7: return "u-law";
    case 0x11: return "ADPCM of IMA";
    case 0x55: return "MP3";
    default: return "coding " + std::to_string(coding);
  }
}

struct WavFormat {
  uint64_t coding = 0, channels = 0, rate = 0, sample_bytes = 0;
};

WavFormat read_wav_format(const FileNumbers& file, uint64_t at, uint64_t size) {
  constexpr uint64_t kShortest = 16, kCodingInExtension = 24;
  if (size < kShortest) refuse_wav("the WAV is damaged: its format at byte " + std::to_string(at) + " is too short");
  WavFormat format{file.at(at, 2), file.at(at + 2, 2), file.at(at + 4, 4)};
  const uint64_t frame_bytes = file.at(at + 12, 2);
  if (format.coding == kExtensible && size >= kCodingInExtension + 2)
    format.coding = file.at(at + kCodingInExtension, 2);
  if (format.coding != kInteger && format.coding != kFloat)
    refuse_wav("the WAV holds " + coding_name(format.coding) + ", which is not read",
               "convert it to 16-bit integers: ffmpeg -i IN.wav -c:a pcm_s16le OUT.wav");
  if (format.channels == 0 || frame_bytes == 0 || frame_bytes % format.channels != 0)
    refuse_wav("the WAV is damaged: " + std::to_string(frame_bytes) + " bytes hold a sample of " +
               std::to_string(format.channels) + " channels");
  format.sample_bytes = frame_bytes / format.channels;
  const uint64_t least = format.coding == kFloat ? 4 : 1, most = format.coding == kFloat ? 8 : 4;
  if (format.sample_bytes < least || format.sample_bytes > most ||
      (format.coding == kFloat && format.sample_bytes % 4 != 0))
    refuse_wav("the WAV holds " + std::string(format.coding == kFloat ? "floats" : "integers") + " of " +
               std::to_string(8 * format.sample_bytes) + " bits, which are not read");
  return format;
}

float wav_sample(const FileNumbers& file, uint64_t at, const WavFormat& format) {
  const uint64_t bits = file.at(at, format.sample_bytes);
  if (format.coding == kFloat)
    return format.sample_bytes == 4 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                                    : static_cast<float>(std::bit_cast<double>(bits));
  if (format.sample_bytes == 1) return (static_cast<float>(bits) - 128) / 128;  // 8 bits have no sign
  // The sign's bit becomes the highest of 32.
  const auto number = static_cast<int32_t>(static_cast<uint32_t>(bits << (32 - 8 * format.sample_bytes)));
  return static_cast<float>(std::ldexp(static_cast<double>(number), -31));
}

}  // namespace

void decode_wav(const std::vector<unsigned char>& bytes, AudioSink& sink) {
  constexpr uint64_t kToTheEnd = 0xFFFFFFFF;
  const FileNumbers file(bytes, true);
  std::optional<WavFormat> format;
  for (uint64_t at = 12;;) {
    if (at + 8 > file.size())
      refuse_wav("the WAV ends at byte " + std::to_string(file.size()) + " without " +
                 (format ? "samples" : "a format"));
    const bool is_format = file.has("fmt ", at), is_data = file.has("data", at);
    uint64_t size = file.at(at + 4, 4);
    at += 8;
    if (is_data && size == kToTheEnd) size = file.size() - at;
    if (size > file.size() - at)
      refuse_wav("the WAV is truncated: a chunk at byte " + std::to_string(at) + " has " + std::to_string(size) +
                 " bytes, and the file ends at byte " + std::to_string(file.size()));
    if (is_format) format = read_wav_format(file, at, size);
    if (is_data) {
      if (!format) refuse_wav("the WAV is damaged: its samples come before their format");
      const uint64_t frame_bytes = format->channels * format->sample_bytes, frames = size / frame_bytes;
      sink.begin({format->rate, format->channels, frames});
      std::vector<float> frame(format->channels);
      for (uint64_t f = 0; f < frames; ++f) {
        for (size_t c = 0; c < frame.size(); ++c)
          frame[c] = wav_sample(file, at + f * frame_bytes + c * format->sample_bytes, *format);
        sink.add(frame);
      }
      return;
    }
    at += size + size % 2;  // chunks begin at even bytes
  }
}

}  // namespace detent
