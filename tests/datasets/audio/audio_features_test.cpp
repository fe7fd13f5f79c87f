// Features of clips in files, beside those of openai-whisper and kaldi-native-fbank (golden/audio_features.py).
#include "datasets/audio/audio_features.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>

#include "datasets/audio/audio_files.h"
#include "datasets/audio/resample.h"
#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

TEST(AudioFeatures, AreThoseOfWhisperAndKaldi) {
  const TemporaryFolder folder;
  std::ifstream golden(DETENT_SOURCE_DIR "/tests/datasets/audio/golden/audio_features.txt");
  size_t rows = 0;
  for (std::string line; std::getline(golden, line); ++rows) {
    std::istringstream row(line);
    size_t number = 0;
    std::string preset;
    int64_t frames = 0;
    row >> number >> preset >> frames;
    SCOPED_TRACE("clip " + std::to_string(number) + " " + preset);
    const GoldenClip& golden_form = kGoldenClips.at(number);
    const TestClip clip = golden_clip(number);
    const bool flac = number % 2 == 1 && (golden_form.bits == 16 || golden_form.bits == 24);
    const std::filesystem::path file =
        flac ? write_flac(folder / "clip.flac", clip)
             : folder.write("clip.wav", golden_form.bits == 0 ? float_wav_of(clip) : wav_of(clip));
    const auto source =
        open_data(data({file.string()}, preset), std::vector<InputSpec>{float_input("x", {-1, -1, -1})});
    const Tensor features = source->read(0).inputs.front();
    const bool time_first = preset.starts_with("fbank");
    ASSERT_EQ(features.shape()[time_first ? 1 : 2], frames);
    const auto bins = static_cast<uint64_t>(features.shape()[time_first ? 2 : 1]);
    const std::vector<float> values = floats_of(features);
    double wanted = 0;
    for (uint64_t j = 0; row >> wanted; ++j) {
      const uint64_t at = j * 2654435761U % values.size(), frame = at / bins, bin = at % bins;
      ASSERT_NEAR(values[time_first ? at : bin * static_cast<uint64_t>(frames) + frame], wanted, 1e-4) << j;
    }
  }
  EXPECT_EQ(rows, 52U);
}

TEST(LogMel, OfSilenceIsTheFloor) {
  // log10(1e-10) = -10; (-10 + 4) / 4
  for (const float value : log_mel(std::vector<float>(16000), 16000, 80).values) ASSERT_EQ(value, -1.5F);
}

TEST(LogMel, NeedsMoreThanHalfAWindow) {
  EXPECT_EQ(log_mel(std::vector<float>(201), 16000, 80).frames, 1);
  const Error error = error_of<Error>([] { static_cast<void>(log_mel(std::vector<float>(200), 16000, 80)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("more than 200"));
}

TEST(Fbank, NeedsAWindowAndOfSilenceIsTheFloor) {
  EXPECT_EQ(fbank(std::vector<float>(400), {}).frames, 1);
  for (const float value : fbank(std::vector<float>(400), {}).values)
    ASSERT_FLOAT_EQ(value, std::log(std::numeric_limits<float>::epsilon()));
  const Error error = error_of<Error>([] { static_cast<void>(fbank(std::vector<float>(399), {})); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_EQ(fbank(std::vector<float>(399), {.snip_edges = false}).frames, 2) << "reflected at the ends";
}

std::vector<float> sine(double hz, int rate, size_t count) {
  std::vector<float> samples(count);
  for (size_t i = 0; i < count; ++i)
    samples[i] = static_cast<float>(std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / rate));
  return samples;
}

TEST(Resample, KeepsTonesBelowBothHalfRatesAndRemovesOthers) {
  for (const auto& [from, to] : {std::pair{48000, 16000}, {44100, 16000}, {8000, 16000}, {16000, 11025}}) {
    const std::vector<float> out = resample(sine(1000, from, static_cast<size_t>(from)), from, to);
    ASSERT_EQ(std::ssize(out), to) << from << " to " << to;
    const std::vector<float> wanted = sine(1000, to, out.size());
    // Away from the ends, behind which nothing sounds. Six zero crossings under cos^2 leave a ripple of 1e-3.
    for (size_t i = out.size() / 4; i < out.size() * 3 / 4; ++i) ASSERT_NEAR(out[i], wanted[i], 2e-3) << i;
  }
  const std::vector<float> out = resample(sine(12000, 48000, 48000), 48000, 16000);
  for (size_t i = out.size() / 4; i < out.size() * 3 / 4; ++i) ASSERT_NEAR(out[i], 0, 2e-3);
}

TEST(Resample, RoundsTheLengthUpAndCopiesAtTheSameRate) {
  EXPECT_EQ(resample(std::vector<float>(100), 44100, 16000).size(), 37U);  // 36.3
  EXPECT_EQ(resample(std::vector<float>{1, 2}, 8000, 8000), (std::vector<float>{1, 2}));
  EXPECT_TRUE(resample({}, 44100, 16000).empty());
}

}  // namespace
}  // namespace detent
