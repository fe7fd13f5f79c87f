// Audio files as samples: which inputs they feed, lengths, masks, and what does not fit.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "datasets/audio/audio_files.h"
#include "datasets/audio/audio_transform.h"
#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A clip of so many samples of 1/4 at 16 kHz.
TestClip quarter(size_t samples) { return {16000, 1, 16, std::vector<int32_t>(samples, 8192)}; }

InputSpec integers(const std::string& name, std::vector<int64_t> shape) {
  return {name, DataType::Int64, std::move(shape)};
}

/// Sample 0 of a clip of that many samples, for these inputs.
Sample first_sample(size_t samples, const std::string& preprocess, std::vector<InputSpec> inputs,
                    std::vector<std::string> masks = {}) {
  const TemporaryFolder folder;
  DataOptions options = data({folder.write("a.wav", wav_of(quarter(samples))).string()}, preprocess);
  options.padding_masks = std::move(masks);
  return open_data(options, inputs)->read(0);
}

Error source_error(const std::string& preprocess, std::vector<InputSpec> inputs, size_t samples = 16000) {
  return error_of<Error>([&] { static_cast<void>(first_sample(samples, preprocess, std::move(inputs))); });
}

std::string shape_of(const Sample& sample, size_t input = 0) { return sample.inputs[input].shape().to_string(); }

TEST(AudioSource, OfAFolderHasTheClipsInNaturalOrder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "b");
  folder.write("b/clip10.wav", wav_of(quarter(20)));
  folder.write("b/clip2.WAV", wav_of(quarter(30)));
  write_flac(folder / "a.flac", quarter(40));
  folder.write("notes.txt", "no audio");
  const auto source =
      open_data(data({folder.path().string()}, "raw-audio"), std::vector<InputSpec>{float_input("x", {-1, -1})});
  EXPECT_THAT(sample_names(*source), ElementsAre("a.flac", "b/clip2.WAV", "b/clip10.wav"));
  EXPECT_EQ(shape_of(source->read(0)), Shape({1, 40}).to_string()) << "each has its length";
  EXPECT_EQ(shape_of(source->read(1)), Shape({1, 30}).to_string());
}

TEST(AudioSource, OfAListHasItsOrder) {
  const TemporaryFolder folder;
  folder.write("a.wav", wav_of(quarter(20)));
  folder.write("b.wav", wav_of(quarter(30)));
  const auto list = folder.write("list.csv", "file,text\nb.wav,hello\na.wav,you\n");
  const std::vector<InputSpec> inputs{float_input("x", {-1, -1}), integers("lengths", {-1})};
  const auto source = open_data(data({list.string()}, "raw-audio"), inputs);
  EXPECT_THAT(sample_names(*source), ElementsAre("b.wav", "a.wav"));
  const auto mixed = folder.write("mixed.txt", "a.wav\nb.png\n");
  EXPECT_THAT(error_of<Error>([&] {
                static_cast<void>(open_data(data({mixed.string()}, "raw-audio"), std::vector{inputs.front()}));
              }).what(),
              HasSubstr("1 audio files and 1 others"));
}

TEST(AudioSource, AsksForThePreprocessing) {
  const Error error = source_error("", {float_input("x", {-1, -1})});
  EXPECT_EQ(error.code(), ErrorCode::Usage);
  for (const char* preset : {"log-mel", "fbank", "raw-audio"}) EXPECT_THAT(error.hint(), HasSubstr(preset));
  EXPECT_THAT(source_error("imagenet", {float_input("x", {-1, -1})}).what(), HasSubstr("not for audio"));
}

TEST(AudioSource, RefusesAFolderOfSeveralKinds) {
  const TemporaryFolder folder;
  folder.write("a.wav", wav_of(quarter(20)));
  const std::vector<InputSpec> inputs{float_input("x", {-1, -1})};
  const auto refusal = [&] {
    return error_of<Error>([&] { static_cast<void>(open_data(data({folder.path().string()}, "raw-audio"), inputs)); });
  };
  folder.write("a.png", "");
  EXPECT_THAT(refusal().what(), HasSubstr("audio and images (a.png)"));
  std::filesystem::remove(folder / "a.png");
  folder.write("a.npy", "");
  EXPECT_THAT(refusal().what(), HasSubstr(".npy files and audio (a.wav)"));
}

TEST(AudioSource, NamesTheFileThatIsBroken) {
  const TemporaryFolder folder;
  folder.write("a.wav", wav_of(quarter(20)));
  folder.write("b.wav", wav_of(quarter(20)).substr(0, 50));
  const auto source =
      open_data(data({folder.path().string()}, "raw-audio"), std::vector<InputSpec>{float_input("x", {-1, -1})});
  EXPECT_NO_THROW(static_cast<void>(source->read(0)));
  const Error error = error_of<Error>([&] { static_cast<void>(source->read(1)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("b.wav"));
}

TEST(RawAudio, IsResampledCutAndFilled) {
  EXPECT_EQ(shape_of(first_sample(16000, "raw-audio,rate=8000", {float_input("x", {-1, 1, -1})})),
            Shape({1, 1, 8000}).to_string());
  EXPECT_THAT(floats_of(first_sample(2, "raw-audio", {float_input("x", {-1, 4})}).inputs.front()),
              ElementsAre(0.25F, 0.25F, 0, 0));
  EXPECT_THAT(floats_of(first_sample(9, "raw-audio", {float_input("x", {-1, 2})}).inputs.front()),
              ElementsAre(0.25F, 0.25F));
  EXPECT_EQ(shape_of(first_sample(9, "raw-audio,seconds=0.5", {float_input("x", {-1, -1})})),
            Shape({1, 8000}).to_string());
}

TEST(RawAudio, ScaleComesBeforeTheClipsNormalizationAndMeanAndStdBehindIt) {
  EXPECT_THAT(
      floats_of(first_sample(1, "raw-audio,scale=32768,mean=192,std=4", {float_input("x", {-1, -1})}).inputs.front()),
      ElementsAre(2000));  // (8192 - 192) / 4
  const TemporaryFolder folder;
  const TestClip clip{16000, 1, 16, {0, 16384}};
  const auto source = open_data(data({folder.write("a.wav", wav_of(clip)).string()}, "raw-audio,normalize=yes"),
                                std::vector<InputSpec>{float_input("x", {-1, 3})});
  // Mean 1/4 and variance 1/16, with the 1e-7 of wav2vec 2; silence behind the clip stays 0.
  const float one = static_cast<float>(0.25 / std::sqrt(0.0625 + 1e-7));
  EXPECT_THAT(floats_of(source->read(0).inputs.front()), ElementsAre(-one, one, 0));
}

TEST(AudioFeatureSource, HasTheModelsLengthOrThirtySecondsForWhisper) {
  EXPECT_EQ(shape_of(first_sample(16000, "log-mel", {float_input("x", {-1, 80, 3000})})),
            Shape({1, 80, 3000}).to_string());
  EXPECT_EQ(shape_of(first_sample(16000, "log-mel", {float_input("x", {-1, 80, -1})})),
            Shape({1, 80, 3000}).to_string());
  EXPECT_EQ(shape_of(first_sample(16000, "log-mel,seconds=clip", {float_input("x", {-1, 80, -1})})),
            Shape({1, 80, 100}).to_string());
  EXPECT_EQ(shape_of(first_sample(16000, "log-mel", {float_input("x", {-1, 80, 50})})), Shape({1, 80, 50}).to_string());
  EXPECT_EQ(shape_of(first_sample(16000, "fbank", {float_input("x", {-1, -1, 80})})), Shape({1, 98, 80}).to_string());
  EXPECT_EQ(shape_of(first_sample(16000, "fbank", {float_input("x", {-1, 200, 80})})), Shape({1, 200, 80}).to_string());
}

TEST(AudioFeatureSource, TakesItsBandsAndTheOrderOfAxesFromTheModel) {
  EXPECT_EQ(shape_of(first_sample(16000, "log-mel", {float_input("x", {-1, 128, 3000})})),
            Shape({1, 128, 3000}).to_string());
  EXPECT_EQ(shape_of(first_sample(16000, "fbank", {float_input("x", {-1, 80, -1})})), Shape({1, 80, 98}).to_string());
  EXPECT_EQ(shape_of(first_sample(16000, "fbank,bins=64", {float_input("x", {-1, 1, 64, -1})})),
            Shape({1, 1, 64, 98}).to_string());
  EXPECT_EQ(shape_of(first_sample(16000, "fbank,layout=mel-time", {float_input("x", {-1, -1, -1})})),
            Shape({1, 80, 98}).to_string());
  const std::vector<float> rows =
      floats_of(first_sample(800, "fbank,bins=3", {float_input("x", {-1, -1, -1})}).inputs.front());
  const std::vector<float> columns =
      floats_of(first_sample(800, "fbank,bins=3,layout=mel-time", {float_input("x", {-1, -1, -1})}).inputs.front());
  ASSERT_EQ(rows.size(), 9U);
  for (size_t f = 0; f < 3; ++f)
    for (size_t b = 0; b < 3; ++b) EXPECT_EQ(rows[f * 3 + b], columns[b * 3 + f]);
}

TEST(AudioFeatureSource, FillsFeaturesBeforeTheStatistics) {
  const std::vector<float> values =
      floats_of(first_sample(400, "fbank,bins=1,mean=6,std=2", {float_input("x", {-1, 2, 1})}).inputs.front());
  EXPECT_EQ(values.at(1), -3) << "(0 - 6) / 2, as AST has it";
}

TEST(AudioSource, FillsTheMaskAndTheLength) {
  const std::vector<InputSpec> inputs{integers("attention_mask", {-1, -1}), float_input("x", {-1, 5}),
                                      integers("x_lens", {-1})};
  const Sample sample = first_sample(3, "raw-audio", inputs);
  const auto mask = sample.inputs[0].data<int64_t>();
  EXPECT_THAT(std::vector<int64_t>(mask.begin(), mask.end()), ElementsAre(1, 1, 1, 0, 0));
  EXPECT_EQ(sample.inputs[2].data<int64_t>()[0], 3);
  const Sample named =
      first_sample(3, "raw-audio", {float_input("x", {-1, 5}), float_input("keep", {-1, -1})}, {"keep"});
  EXPECT_THAT(floats_of(named.inputs[1]), ElementsAre(1, 1, 1, 0, 0));
  const Sample features = first_sample(1700, "log-mel", {float_input("x", {-1, 80, 20}), integers("length", {-1})});
  EXPECT_EQ(features.inputs[1].data<int64_t>()[0], 11) << "10 ms each, the last one a part";
}

TEST(AudioSource, RefusesInputsThatItCannotFill) {
  EXPECT_THAT(source_error("raw-audio", {float_input("x", {-1, -1}), float_input("y", {-1, -1})}).what(),
              HasSubstr("the inputs x, y"));
  EXPECT_EQ(source_error("raw-audio", {integers("x", {-1, -1})}).code(), ErrorCode::InvalidData);
  EXPECT_THAT(source_error("raw-audio", {float_input("x", {-1, 80, -1})}).hint(), HasSubstr("log-mel and fbank"));
  EXPECT_THAT(source_error("fbank", {float_input("x", {-1, -1})}).hint(), HasSubstr("raw-audio"));
  EXPECT_THAT(source_error("fbank,bins=40", {float_input("x", {-1, -1, 80})}).what(), HasSubstr("the 40 bands"));
  EXPECT_THAT(source_error("fbank,seconds=3", {float_input("x", {-1, 100, 80})}).what(), HasSubstr("298 positions"));
  EXPECT_THAT(source_error("raw-audio", {float_input("x", {-1, -1}), integers("attention_mask", {-1, 7})}).what(),
              HasSubstr("'attention_mask'"));
  EXPECT_THAT(source_error("fbank", {float_input("x", {-1, -1, 80})}, 399).what(), HasSubstr("too short"));
}

}  // namespace
}  // namespace detent
