#include "datasets/audio/audio_clip.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "datasets/audio/audio_files.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Error clip_error(const std::string& bytes, std::optional<int> channel = {}) {
  const TemporaryFolder folder;
  return error_of<Error>([&] { static_cast<void>(read_audio(folder.write("a.wav", bytes), channel)); });
}

/// The samples of a file with these bytes.
std::vector<float> samples_of(const std::string& bytes, std::optional<int> channel = {}) {
  const TemporaryFolder folder;
  return read_audio(folder.write("a.wav", bytes), channel).samples;
}

/// Numbers at both ends and in the middle of the range of b bits.
TestClip edges(int bits, int channels = 1) {
  const int64_t half = int64_t{1} << (bits - 1);
  return {16000,
          channels,
          bits,
          {static_cast<int32_t>(-half), static_cast<int32_t>(half - 1), 0, static_cast<int32_t>(half / 2)}};
}

TEST(Wav, HoldsIntegersOfEveryWidthAsSharesOfTheirRange) {
  for (const int bits : {8, 16, 24, 32})
    EXPECT_THAT(samples_of(wav_of(edges(bits))),
                ElementsAre(-1, static_cast<float>(1 - std::ldexp(1.0, 1 - bits)), 0, 0.5F))
        << bits;
}

TEST(Wav, HoldsFloatsAsTheyAre) {
  std::string doubles;
  for (const double value : {0.25, -3.0}) doubles += low_bytes(std::bit_cast<uint64_t>(value), 8);
  EXPECT_THAT(samples_of(wav_of(3, 1, 8000, 8, doubles)), ElementsAre(0.25F, -3.0F)) << "beyond 1, too";
  EXPECT_EQ(samples_of(float_wav_of(edges(24))), samples_of(wav_of(edges(24))));
}

TEST(Wav, TakesTheMeanOfItsChannelsOrOne) {
  const std::string stereo = wav_of(edges(16, 2));
  EXPECT_THAT(samples_of(stereo), ElementsAre(std::ldexp(-1.0F, -16), 0.25F));
  EXPECT_THAT(samples_of(stereo, 1), ElementsAre(1 - std::ldexp(1.0F, -15), 0.5F));
  EXPECT_THAT(clip_error(stereo, 2).what(), HasSubstr("no channel 2"));
}

TEST(Wav, MayHaveOtherChunksAnExtensibleFormatAndAnUnknownLength) {
  const std::string plain = wav_of(edges(16)), data = plain.substr(44);
  const std::string list = "LIST" + low_bytes(3, 4) + "abc" + '\0';  // filled to an even length
  EXPECT_EQ(samples_of(plain.substr(0, 12) + list + plain.substr(12)), samples_of(plain));
  std::string extensible = plain.substr(0, 16) + low_bytes(40, 4) + low_bytes(0xFFFE, 2) + plain.substr(22, 14) +
                           low_bytes(22, 2) + low_bytes(16, 2) + low_bytes(4, 4) + low_bytes(1, 2) +
                           std::string(14, 'g');
  EXPECT_EQ(samples_of(extensible + plain.substr(36)), samples_of(plain));
  EXPECT_EQ(samples_of(plain.substr(0, 40) + low_bytes(0xFFFFFFFF, 4) + data), samples_of(plain))
      << "written to a pipe";
}

TEST(Wav, RefusesWhatIsDamagedByItsPlace) {
  const std::string plain = wav_of(edges(16));
  EXPECT_EQ(clip_error("").code(), ErrorCode::InvalidData);
  EXPECT_THAT(clip_error("").what(), HasSubstr("empty (0 bytes)"));
  EXPECT_THAT(clip_error("no sound at all").what(), HasSubstr("neither WAV nor FLAC"));
  EXPECT_THAT(clip_error(plain.substr(0, plain.size() - 1)).what(), HasSubstr("truncated: a chunk at byte 44"));
  EXPECT_THAT(clip_error(plain.substr(0, 40)).what(), HasSubstr("ends at byte 40 without samples"));
  EXPECT_THAT(clip_error(plain.substr(0, 12) + plain.substr(36)).what(), HasSubstr("before their format"));
  EXPECT_THAT(clip_error(wav_of(TestClip{})).what(), HasSubstr("holds no samples"));
  EXPECT_THAT(clip_error(wav_of(1, 0, 16000, 2, "abcd")).what(), HasSubstr("of 0 channels"));
  EXPECT_THAT(clip_error(wav_of(1, 1, 0, 2, "abcd")).what(), HasSubstr("0 samples a second"));
}

TEST(Wav, NamesCodingsThatAreNotRead) {
  EXPECT_THAT(clip_error(wav_of(7, 1, 8000, 1, "abcd")).what(), HasSubstr("u-law"));
  EXPECT_THAT(clip_error(wav_of(1, 1, 8000, 5, "abcde")).what(), HasSubstr("integers of 40 bits"));
  EXPECT_THAT(clip_error(wav_of(3, 1, 8000, 2, "abcd")).what(), HasSubstr("floats of 16 bits"));
  EXPECT_THAT(clip_error("FORM    AIFF").what(), HasSubstr("AIFF"));
  EXPECT_THAT(clip_error("OggS").what(), HasSubstr("Ogg"));
}

TEST(Wav, RefusesNumbersThatAreNone) {
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const std::string data = low_bytes(0, 8) + low_bytes(std::bit_cast<uint32_t>(value), 4) + low_bytes(0, 4);
    EXPECT_THAT(clip_error(wav_of(3, 2, 8000, 4, data)).what(), HasSubstr("sample 1 of channel 0 is"));
  }
}

#ifdef DETENT_FLAC
TEST(Flac, HoldsTheSameNumbersAsWav) {
  const TemporaryFolder folder;
  for (const size_t golden : {0U, 1U, 9U, 17U}) {
    const TestClip clip = golden_clip(golden);
    const AudioClip flac = read_audio(write_flac(folder / "a.flac", clip));
    EXPECT_EQ(flac.rate, clip.rate);
    EXPECT_EQ(flac.samples, samples_of(wav_of(clip)));
  }
}

TEST(Flac, OfFewBytesDoesNotHoldHours) {
  const auto begins = [](uint64_t samples, uint64_t bytes) {
    ChannelMixer mixer({}, bytes);
    mixer.begin({16000, 1, samples});
  };
  EXPECT_THAT(error_of<Error>([&] { begins(131'000'000, 28'000); }).what(), HasSubstr("to decode"));
  begins(60'000'000, 28'000);       // an hour of silence
  begins(131'000'000, 60'000'000);  // two hours of speech
}

TEST(Flac, OfWhateverNameIsRecognizedByItsFirstBytes) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_audio(write_flac(folder / "a.wav", golden_clip(9))).rate, 16000);
}

TEST(Flac, RefusesWhatIsTruncatedOrDamaged) {
  const TemporaryFolder folder;
  const std::string whole = TemporaryFolder::read(write_flac(folder / "a.flac", golden_clip(0)));
  EXPECT_THAT(clip_error("fLaC").what(), HasSubstr("no header"));
  for (const size_t size : {whole.size() - 1, whole.size() / 2, size_t{60}})
    EXPECT_EQ(clip_error(whole.substr(0, size)).code(), ErrorCode::InvalidData) << size;
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 1);
  EXPECT_THAT(clip_error(damaged).what(), HasSubstr("the FLAC is damaged"));
  std::string other_sum = whole;
  other_sum[40] = static_cast<char>(other_sum[40] ^ 1);  // bytes 26 to 41 are the checksum of the samples
  EXPECT_THAT(clip_error(other_sum).what(), HasSubstr("another checksum"));
}
#endif

}  // namespace
}  // namespace detent
