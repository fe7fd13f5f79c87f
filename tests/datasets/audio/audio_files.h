#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#ifdef DETENT_FLAC
#include <FLAC/stream_encoder.h>
#else
#include <fstream>
#endif

namespace detent {

/// Integers of `bits` bits, [frame][channel].
struct TestClip {
  int rate = 16000;
  int channels = 1;
  int bits = 16;
  std::vector<int32_t> values = {};

  [[nodiscard]] size_t frames() const { return values.size() / static_cast<size_t>(channels); }
};

/// Returns the number in little-endian bytes.
inline std::string low_bytes(uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xFF);
  return text;
}

/// Returns a WAV of raw samples. bytes  of one sample of one channel
inline std::string wav_of(int coding, int channels, int rate, int bytes, const std::string& data) {
  const std::string format = low_bytes(coding, 2) + low_bytes(channels, 2) + low_bytes(rate, 4) +
                             low_bytes(uint64_t{1} * rate * channels * bytes, 4) + low_bytes(channels * bytes, 2) +
                             low_bytes(8 * bytes, 2);
  const std::string chunks =
      "WAVEfmt " + low_bytes(format.size(), 4) + format + "data" + low_bytes(data.size(), 4) + data;
  return "RIFF" + low_bytes(chunks.size(), 4) + chunks;
}

/// Returns a WAV of integers; 8 bits have no sign there.
inline std::string wav_of(const TestClip& clip) {
  std::string data;
  for (const int32_t value : clip.values)
    data += low_bytes(static_cast<uint32_t>(clip.bits == 8 ? value + 128 : value), clip.bits / 8);
  return wav_of(1, clip.channels, clip.rate, clip.bits / 8, data);
}

/// Returns a WAV of the same numbers as floats.
inline std::string float_wav_of(const TestClip& clip) {
  std::string data;
  for (const int32_t value : clip.values)
    data += low_bytes(std::bit_cast<uint32_t>(std::ldexp(static_cast<float>(value), 1 - clip.bits)), 4);
  return wav_of(3, clip.channels, clip.rate, 4, data);
}

/// Writes a FLAC, or a WAV where the build has no libFLAC: the first bytes tell, not the name.
inline std::filesystem::path write_flac(const std::filesystem::path& path, const TestClip& clip) {
#ifdef DETENT_FLAC
  const std::unique_ptr<FLAC__StreamEncoder, void (*)(FLAC__StreamEncoder*)> encoder(FLAC__stream_encoder_new(),
                                                                                     FLAC__stream_encoder_delete);
  FLAC__stream_encoder_set_channels(encoder.get(), static_cast<unsigned>(clip.channels));
  FLAC__stream_encoder_set_bits_per_sample(encoder.get(), static_cast<unsigned>(clip.bits));
  FLAC__stream_encoder_set_sample_rate(encoder.get(), static_cast<unsigned>(clip.rate));
  EXPECT_EQ(FLAC__stream_encoder_init_file(encoder.get(), path.c_str(), nullptr, nullptr),
            FLAC__STREAM_ENCODER_INIT_STATUS_OK);
  EXPECT_TRUE(FLAC__stream_encoder_process_interleaved(encoder.get(), clip.values.data(),
                                                       static_cast<unsigned>(clip.frames())));
  EXPECT_TRUE(FLAC__stream_encoder_finish(encoder.get()));
#else
  std::ofstream(path, std::ios::binary) << wav_of(clip);
#endif
  return path;
}

/// A clip of golden/audio_features.py; 0 bits stand for floats.
struct GoldenClip {
  int rate, channels, bits, milliseconds;
};
inline constexpr std::array<GoldenClip, 20> kGoldenClips{
    {{8000, 1, 16, 700},    {8000, 2, 24, 1300},  {8000, 1, 0, 260},    {11025, 1, 16, 950},  {11025, 2, 32, 1700},
     {16000, 1, 16, 31500}, {16000, 1, 16, 400},  {16000, 2, 16, 2600}, {16000, 1, 24, 1500}, {16000, 2, 24, 90},
     {16000, 1, 32, 3300},  {16000, 1, 0, 1100},  {16000, 2, 0, 30700}, {22050, 1, 16, 1250}, {22050, 2, 0, 610},
     {32000, 1, 24, 800},   {44100, 1, 16, 2100}, {44100, 2, 24, 1050}, {48000, 1, 0, 1900},  {48000, 2, 32, 330}}};

/// Returns the integers of a golden clip: 16 bits where it has them, else 20 bits in the highest of its bits (of 24
/// for floats).
inline TestClip golden_clip(size_t number) {
  const auto [rate, channels, bits, milliseconds] = kGoldenClips.at(number);
  TestClip clip{rate, channels, bits == 0 ? 24 : bits};
  const int64_t frames = int64_t{rate} * milliseconds / 1000;
  clip.values.resize(static_cast<size_t>(frames * channels));
  for (int64_t channel = 0; channel < channels; ++channel) {
    uint64_t state = 1000 * number + static_cast<uint64_t>(channel) + 1;
    const int64_t step = ((300 + 70 * static_cast<int64_t>(number) + 40 * channel) << 20) / rate;
    for (int64_t i = 0; i < frames; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const int64_t noise = static_cast<int64_t>(state >> 44) - (1 << 19);
      const int64_t triangle = 2 * std::abs(i * step % (1 << 20) - (1 << 19)) - (1 << 19);
      const int64_t value = (triangle * (1 + i * 10 / rate % 4) + 2 * noise) >> 3;
      clip.values[static_cast<size_t>(i * channels + channel)] =
          static_cast<int32_t>(bits == 16 ? value >> 4 : value * (int64_t{1} << (clip.bits - 20)));
    }
  }
  return clip;
}

}  // namespace detent
