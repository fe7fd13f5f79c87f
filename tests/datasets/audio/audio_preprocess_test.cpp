#include "datasets/audio/audio_preprocess.h"

#include <gmock/gmock.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

Error spec_error(const std::string& text) {
  return error_of<Error>([&] { static_cast<void>(parse_audio_preprocess(text)); });
}

TEST(AudioPreprocess, HasAPresetForEachKindOfFeatures) {
  EXPECT_EQ(parse_audio_preprocess("log-mel").kind, AudioSpec::Kind::LogMel);
  EXPECT_EQ(parse_audio_preprocess("fbank").kind, AudioSpec::Kind::Fbank);
  EXPECT_EQ(parse_audio_preprocess("fbank").scale, 32768);
  EXPECT_EQ(parse_audio_preprocess("raw-audio").kind, AudioSpec::Kind::Waveform);
  for (const PreprocessPreset& preset : audio_presets())
    EXPECT_EQ(parse_audio_preprocess(preset.name).rate, 16000) << preset.name;
}

TEST(AudioPreprocess, IsToldFromThatOfImagesByItsPreset) {
  EXPECT_TRUE(is_audio_preprocess(" fbank,bins=40"));
  EXPECT_FALSE(is_audio_preprocess("imagenet"));
  EXPECT_FALSE(is_audio_preprocess("raw"));
  EXPECT_FALSE(is_audio_preprocess(""));
  EXPECT_THAT(spec_error("imagenet").hint(), HasSubstr("log-mel, fbank, raw-audio"));
}

TEST(AudioPreprocess, PairsChangeThePreset) {
  const AudioSpec spec = parse_audio_preprocess(
      "fbank,rate=8000 "
      "bins=40,channel=1,low=60,high=-400,snip-edges=no,scale=1,mean=-4.27,std=9.14,layout=mel-time,seconds=2.5");
  EXPECT_EQ(spec.rate, 8000);
  EXPECT_EQ(spec.bins, 40);
  EXPECT_EQ(spec.channel, 1);
  EXPECT_EQ(spec.low, 60);
  EXPECT_EQ(spec.high, -400);
  EXPECT_FALSE(spec.snip_edges);
  EXPECT_EQ(spec.scale, 1);
  EXPECT_EQ(spec.mean, -4.27);
  EXPECT_EQ(spec.std, 9.14);
  EXPECT_EQ(spec.layout, AudioSpec::Layout::MelTime);
  EXPECT_EQ(spec.seconds, 2.5);
  EXPECT_EQ(parse_audio_preprocess("log-mel,seconds=clip").seconds, 0);
  EXPECT_TRUE(parse_audio_preprocess("raw-audio,normalize=yes").normalize);
}

TEST(AudioPreprocess, RefusesWhatAPresetDoesNotHave) {
  for (const char* text :
       {"log-mel,low=20", "raw-audio,bins=80", "fbank,normalize=yes", "fbank,rate=10", "fbank,rate=x", "fbank,bins=0",
        "fbank,seconds=0", "fbank,seconds=-1", "fbank,std=0", "fbank,snip-edges=maybe", "fbank,channel=left",
        "fbank,low=8000", "fbank,high=9000", "fbank,layout=nchw", "fbank,fbank"})
    EXPECT_EQ(spec_error(text).code(), ErrorCode::Usage) << text;
  EXPECT_THAT(spec_error("fbank,bin=40").hint(), HasSubstr("'bins'"));
}

}  // namespace
}  // namespace detent
