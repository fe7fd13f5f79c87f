#include "run/greedy_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/index.h"
#include "model/temporary_folder.h"
#include "run/cached_decoder.h"
#include "run/open_samples.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::Not;

constexpr size_t kTaken = 8;
constexpr int64_t kNever = 1000;  // a token beyond the vocabulary

std::string_view bits_of(const Tensor& tensor) { return {static_cast<const char*>(tensor.raw()), tensor.byte_count()}; }

/// Texts that the cached decoder writes behind the prompt 3, 1, and behind 2, 5.
class Decoding : public ::testing::Test {
 protected:
  Decoding() {
    DataOptions data;
    data.arrays = {Tensor::from<int64_t>({2, 2}, {3, 1, 2, 5})};
    data.steps = kTaken;
    data.state = folder_.write("state.json", R"json({"feeds": {"keys": "past_keys", "values": "past_values",
                                                     "argmax(logits)": "ids"}, "start": {"ids": "data"}})json");
    request_ = parse_samples(data);
    request_.state->decode = DecodeRules{.end = kNever};
  }

  [[nodiscard]] DecodeRules& rules() { return *request_.state->decode; }
  [[nodiscard]] std::vector<int64_t> text(size_t sample = 0, double seconds = 0) const {
    Sample whole = open_whole_samples(request_, model_)->read(sample);
    whole.seconds = seconds;
    return GreedyDecoder(model_, step_plan(request_, model_), CpuProducts::Exact).decode({std::move(whole)})[0];
  }
  /// The same by a loop over the whole model.
  [[nodiscard]] std::vector<int64_t> by_loop(std::vector<int64_t> ids, const std::set<int64_t>& suppressed = {}) const {
    std::vector<int64_t> text;
    Tensor keys(DataType::Float32, {1, 0, 8}), values(DataType::Float32, {1, 0, 8});
    while (text.size() < kTaken) {
      const std::vector<Tensor> inputs{Tensor::from<int64_t>({1, std::ssize(ids)}, ids), keys, values};
      const std::vector<Tensor> out = run_once(model_.graph(), inputs, model_.graph().outputs());
      const auto last = out[0].data<float>().last(12);
      int64_t best = -1;
      for (int64_t token = 0; token < 12; ++token)
        if (!suppressed.contains(token) && (best < 0 || last[as_index(token)] > last[as_index(best)])) best = token;
      text.push_back(best);
      ids = {best}, keys = out[1], values = out[2];
    }
    return text;
  }

  TemporaryFolder folder_;
  Model model_ = test::cached_decoder();
  SampleRequest request_;
};

TEST_F(Decoding, WritesWhatALoopOverTheModelWrites) {
  EXPECT_THAT(text(0), ElementsAreArray(by_loop({3, 1})));
  EXPECT_THAT(text(1), ElementsAreArray(by_loop({2, 5})));
}

TEST_F(Decoding, EndsInFrontOfTheEndToken) {
  std::vector<int64_t> whole = by_loop({3, 1});
  rules().end = whole[4];
  whole.erase(std::ranges::find(whole, whole[4]), whole.end());
  EXPECT_THAT(text(), ElementsAreArray(whole));
}

TEST_F(Decoding, NeverWritesASuppressedToken) {
  const std::vector<int64_t> whole = by_loop({3, 1});
  rules().suppressed = {{whole[0], whole[0]}, {10, 11}};
  EXPECT_THAT(text(), Not(Contains(whole[0])));
  EXPECT_THAT(text(), ElementsAreArray(by_loop({3, 1}, {whole[0], 10, 11})));
}

TEST_F(Decoding, IsCutAtTheLongestText) {
  rules().most = 3;
  EXPECT_EQ(text().size(), 3U);
  rules().most = 50;
  EXPECT_EQ(text().size(), 50U) << "more than the steps of calibration";
}

TEST_F(Decoding, IsCutBySecondsOfAudioAlone) {
  rules().most_per_second = 4;
  EXPECT_EQ(text(0, 1.2).size(), 5U) << "4.8 tokens, rounded up";
  EXPECT_EQ(text(0, 0).size(), kTaken) << "no audio: the steps";
}

TEST_F(Decoding, StepsBehindTheEndAreTheLastOneAgain) {
  rules().most = 3;
  const auto steps = open_samples(request_, model_);
  const Sample last = steps->read(2), behind = steps->read(6);
  EXPECT_FALSE(last.is_behind_the_end);
  EXPECT_TRUE(behind.is_behind_the_end);
  for (size_t i = 0; i < last.inputs.size(); ++i) EXPECT_EQ(bits_of(last.inputs[i]), bits_of(behind.inputs[i])) << i;
  EXPECT_FALSE(steps->read(kTaken).is_behind_the_end) << "another sample begins";
}

TEST_F(Decoding, APupilEndsWhereItsTeacherEnds) {
  rules().most = 3;
  const auto teacher = open_samples(request_, model_);
  rules().most.reset();
  const auto pupil = open_samples(request_, model_, {.teacher = teacher.get()});
  EXPECT_FALSE(pupil->read(2).is_behind_the_end);
  EXPECT_TRUE(pupil->read(3).is_behind_the_end);
}

TEST_F(Decoding, WithoutRulesNoStepIsBehindAnEnd) {
  request_.state->decode.reset();
  EXPECT_FALSE(decodes(request_));
  EXPECT_FALSE(open_samples(request_, model_)->read(kTaken - 1).is_behind_the_end);
}

/// Texts of many prompts, which `together` writes by groups.
class DecodingTogether : public ::testing::Test {
 protected:
  static constexpr size_t kPrompts = 16;

  [[nodiscard]] SampleRequest request() {
    DataOptions data;
    data.arrays = {Tensor::from<int64_t>({kPrompts, 2}, prompts_)};
    data.steps = kTaken;
    data.state = folder_.write("state.json", R"json({"feeds": {"keys": "past_keys", "values": "past_values",
                                                     "argmax(logits)": "ids"}, "start": {"ids": "data"}})json");
    SampleRequest request = parse_samples(data);
    request.state->decode = DecodeRules{.end = end_};
    return request;
  }
  [[nodiscard]] size_t together(const Model& model, size_t threads = 1) {
    const SampleRequest asked = request();
    return GreedyDecoder(model, step_plan(asked, model), CpuProducts::Exact)
        .together(*open_whole_samples(asked, model), threads);
  }

  TemporaryFolder folder_;
  std::vector<int64_t> prompts_ = {3, 1, 2, 5, 4, 4, 7, 8, 9,  1, 0, 11, 6, 2, 10, 3,
                                   1, 1, 5, 2, 8, 0, 2, 9, 11, 7, 3, 3,  6, 6, 4,  10};
  int64_t end_ = kNever;
};

TEST_F(DecodingTogether, WritesTheTextsThatEachHasAlone) {
  const Model model = test::cached_decoder();
  SampleRequest asked = request();
  const auto samples = open_whole_samples(asked, model);
  const GreedyDecoder never(model, step_plan(asked, model), CpuProducts::Exact);
  asked.state->decode->end = never.decode({samples->read(0)})[0][3];  // texts of different lengths
  const GreedyDecoder decoder(model, step_plan(asked, model), CpuProducts::Exact);
  ASSERT_EQ(decoder.together(*samples, 1), 4U);
  std::set<size_t> lengths;
  for (size_t first = 0; first < kPrompts; first += 4) {
    std::vector<Sample> group;
    for (size_t i = 0; i < 4; ++i) group.push_back(samples->read(first + i));
    const auto texts = decoder.decode(group);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_THAT(texts[i], ElementsAreArray(decoder.decode({group[i]})[0])) << first + i;
      lengths.insert(texts[i].size());
    }
  }
  EXPECT_GT(lengths.size(), 1U) << "some end before others";
}

TEST_F(DecodingTogether, NeedsSeveralGroupsForEachThread) {
  EXPECT_EQ(together(test::cached_decoder(), 2), 4U);
  EXPECT_EQ(together(test::cached_decoder(), 3), 1U);
}

TEST_F(DecodingTogether, IsNothingForAModelThatMixesSamples) {
  EXPECT_EQ(together(test::cached_decoder("all = MatMul (sum, head) most = ReduceMax (all) logits = Sub (all, most)")),
            1U)
      << "the largest of all samples";
  EXPECT_EQ(together(test::cached_decoder("codes, scale, zero = DynamicQuantizeLinear (sum) "
                                          "rounded = DequantizeLinear (codes, scale, zero) "
                                          "logits = MatMul (rounded, head)")),
            1U)
      << "one scale for all samples";
}

}  // namespace
}  // namespace detent
