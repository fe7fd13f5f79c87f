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
    return GreedyDecoder(model_, step_plan(request_, model_), CpuProducts::Exact).decode(std::move(whole));
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

}  // namespace
}  // namespace detent
