// Data options are parsed once, and refused before a model is read.
#include "datasets/sample_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kState = R"({"feeds": {"keys": "past"}})";

TEST(SampleRequest, HoldsWhatTheTextsSay) {
  const TemporaryFolder folder;
  const SampleRequest request = parse_samples({.sources = {"x=random:normal"},
                                               .preprocess = "imagenet,resize=64",
                                               .limit = 3,
                                               .batch_axes = {"a=b=1", "y=none"},
                                               .missing_nan = true,
                                               .padding_masks = {"m"},
                                               .steps = 4,
                                               .state = folder.write("state.json", kState)});
  EXPECT_TRUE(request.given());
  EXPECT_TRUE(request.selects());
  EXPECT_TRUE(request.missing_nan);
  EXPECT_EQ(request.preprocess.images.value().resize_short, 64);
  EXPECT_FALSE(request.preprocess.audio);
  ASSERT_EQ(request.batch_axes.size(), 2U);
  EXPECT_EQ(request.batch_axes[0].input, "a=b") << "a name may hold '='";
  EXPECT_EQ(request.batch_axes[0].axis, 1);
  EXPECT_EQ(request.batch_axes[1].axis, kNoBatchAxis);
  EXPECT_EQ(request.steps, 4U);
  EXPECT_THAT(request.state.value().feeds, ElementsAre(Pair("keys", "past")));
}

TEST(SampleRequest, HoldsNothingWhereNothingIsSaid) {
  const SampleRequest request = parse_samples({});
  EXPECT_FALSE(request.given());
  EXPECT_FALSE(request.selects());
  EXPECT_FALSE(request.preprocess.images || request.preprocess.audio || request.state);
  EXPECT_TRUE(parse_samples({.preprocess = "fbank,bins=40"}).preprocess.audio);
}

TEST(SampleRequest, IsRefusedForTextsAndNumbersThatMakeNoSense) {
  const TemporaryFolder folder;
  const std::string state = folder.write("state.json", kState), bad = folder.write("bad.json", R"({"feed": {}})");
  struct Case {
    DataOptions options;
    ErrorCode code;
    const char* text;
  };
  const Case cases[] = {
      {{.limit = 0}, ErrorCode::Usage, "--limit 0 leaves no samples"},
      {{.shard_index = 3, .shard_count = 2}, ErrorCode::Usage, "--shard 3/2 is invalid"},
      {{.preprocess = "imagenetz"}, ErrorCode::Usage, "'imagenetz' is not understood"},
      {{.preprocess = "fbank,bins=no"}, ErrorCode::Usage, "'bins=no' is not understood"},
      {{.batch_axes = {"x"}}, ErrorCode::Usage, "'x' is not INPUT=AXIS"},
      {{.batch_axes = {"x=-1"}}, ErrorCode::Usage, "'x=-1' is not INPUT=AXIS"},
      {{.batch_axes = {"x=last"}}, ErrorCode::Usage, "'x=last' is not INPUT=AXIS"},
      {{.padding_masks = {"a", "b"}}, ErrorCode::Usage, "--mask is given twice"},
      {{.sources = {"x"}, .state = state}, ErrorCode::Usage, "--state needs --steps"},
      {{.sources = {"x"}, .steps = 2}, ErrorCode::Usage, "--steps needs --state"},
      {{.sources = {"x"}, .steps = 0, .state = state}, ErrorCode::Usage, "--steps 0"},
      {{.sources = {"x"}, .steps = 2, .state = bad}, ErrorCode::InvalidOption, "bad.json: the key \"feed\""},
  };
  for (const Case& one : cases) {
    const Error error = error_of<Error>([&] { static_cast<void>(parse_samples(one.options)); });
    EXPECT_EQ(error.code(), one.code) << one.text;
    EXPECT_THAT(error.what(), HasSubstr(one.text));
  }
}

TEST(SampleRequest, TakesTheStatesOfAPipelineThatWasRead) {
  const PipelineFile pipeline{.path = "no/such/pair.json", .state = StateFile{.feeds = {{"dec:keys", "dec:past"}}}};
  const DataOptions options{.sources = {"x"}, .steps = 2, .state = pipeline.path};
  EXPECT_THAT(parse_samples(options, &pipeline).state.value().feeds, ElementsAre(Pair("dec:keys", "dec:past")));
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(parse_samples(options)); }).code(), ErrorCode::InvalidOption)
      << "without it the file is read";
}

TEST(RequestedSamples, RefuseOptionsOfSamplesThatAreNotGiven) {
  const auto refusal = [](const DataOptions& data, const DataOptions* eval) {
    return std::string(error_of<Error>([&] { static_cast<void>(requested_samples(data, eval, {})); }).what());
  };
  const DataOptions none, limited{.limit = 2}, masked{.padding_masks = {"m"}}, given{.sources = {"x"}};
  EXPECT_THAT(refusal(limited, nullptr), HasSubstr("--limit applies to --data, which was not given"));
  EXPECT_THAT(refusal(masked, &none), HasSubstr("--mask applies to --data"));
  EXPECT_THAT(refusal(given, &limited), HasSubstr("--eval-limit applies to --eval"));
  EXPECT_TRUE(requested_samples(masked, &given, {}).eval.given()) << "what --data says holds for --eval, too";
}

TEST(SelectedSamples, MayBeNoneWhereTheRequestSaysSo) {
  const std::vector<InputSpec> inputs{{"x", DataType::Float32, {-1, 2}}};
  SampleRequest request = parse_samples({.sources = {"random:normal,n=2"}, .shard_index = 3, .shard_count = 3});
  const auto select = [&] { return select_samples(open_sources(request, inputs), request)->size(); };
  EXPECT_THAT(error_of<Error>(select).what(), HasSubstr("--shard 3/3 of 2 samples is empty"));
  request.may_be_empty = true;
  EXPECT_EQ(select(), 0U);
}

}  // namespace
}  // namespace detent
