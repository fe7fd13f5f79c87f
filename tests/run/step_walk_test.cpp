#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/index.h"
#include "detent/base/error.h"
#include "model/graph/file_boundary.h"
#include "run/greedy_decoder.h"
#include "run/open_samples.h"
#include "run/transducer_parts.h"

namespace detent {
namespace {

using test::kLetters, test::kTransducerFeeds, test::transducer_parts;
using ::testing::ElementsAreArray;
using ::testing::Not;

constexpr size_t kStepsOfAClip = 10;
constexpr int64_t kFramesOfAClip = 9, kNoLetter = 0;
const std::vector<int64_t> kFramesToGoOn{0, 1, 2};

/// Returns the class of the highest score in [first, last).
int64_t highest(std::span<const float> scores, int64_t first, int64_t last) {
  return std::max_element(scores.begin() + first, scores.begin() + last) - scores.begin() - first;
}

/// Decoding by a joined model, and by a loop over its files.
class Transducer : public ::testing::Test {
 protected:
  void make(DecodeRules rules, bool keeps_axis = true, const std::optional<std::string>& lengths = {}) {
    const auto durations = std::ssize(rules.durations);
    model_.emplace(join_models(transducer_parts(durations, keeps_axis), kTransducerFeeds, "parts.json",
                               FrameFeed{"enc:memory", 1, lengths, keeps_axis}));
    parts_ = transducer_parts(durations, keeps_axis);
    test::Numbers numbers(11);
    audio_ = numbers.tensor({3, kFramesOfAClip, 4}, 3);
    DataOptions data;
    data.arrays = {audio_};
    request_ = parse_samples(data);
    request_.steps = kStepsOfAClip;
    request_.state = StateFile{.feeds = {{"pred:h_next", "pred:h"}},
                               .tokens = {{"join:scores", "pred:ids", false}},
                               .decode = rules,
                               .starts = {{"pred:ids", StateStart::Tokens}},
                               .first_tokens = {{"pred:ids", {kNoLetter}}}};
  }

  [[nodiscard]] std::vector<int64_t> text(size_t sample) const {
    Sample whole = open_whole_samples(request_, *model_)->read(sample);
    return GreedyDecoder(*model_, step_plan(request_, *model_), CpuProducts::Exact).decode({std::move(whole)})[0];
  }

  [[nodiscard]] std::vector<Tensor> run(size_t part, const std::vector<Tensor>& inputs) const {
    const Graph& graph = parts_[part].model.graph();
    return run_once(graph, inputs, graph.outputs());
  }

  /// A loop as its users write it: frames outside, letters of a frame inside.
  [[nodiscard]] std::vector<int64_t> by_loop(size_t sample, int64_t frames = kFramesOfAClip) const {
    const DecodeRules& rules = *request_.state->decode;
    const auto first = as_extent(sample);
    const Tensor memory = run(0, {audio_.slice0(first, first + 1)})[0];
    std::vector<int64_t> text;
    Tensor h(DataType::Float32, {1, 1, 8});
    std::ranges::fill(h.mutable_data<float>(), 0.0F);
    int64_t letter = kNoLetter;
    for (int64_t frame = 0; frame < frames;) {
      int64_t go_on = 0;
      for (size_t letters = 0; go_on == 0;) {
        const std::vector<Tensor> told = run(1, {Tensor::from<int64_t>({1, 1}, {letter}), h});
        const auto row = memory.data<float>().subspan(as_index(frame * 8), 8);
        const Tensor one = Tensor::from<float>({1, 1, 8}, std::vector<float>(row.begin(), row.end()));
        const Tensor scores = run(2, {one, told[0]})[0];
        const auto numbers = scores.data<float>();
        const int64_t found = highest(numbers, 0, kLetters);
        if (!rules.durations.empty())
          go_on = rules.durations[as_index(highest(numbers, kLetters, std::ssize(numbers)))];
        if (found == kNoLetter) {
          go_on = std::max<int64_t>(go_on, 1);
          continue;
        }
        text.push_back(found);
        letter = found, h = told[1];
        if (++letters == rules.most_per_frame) go_on = std::max<int64_t>(go_on, 1);
      }
      frame += go_on;
    }
    return text;
  }

  std::optional<Model> model_;
  std::vector<NamedModel> parts_;
  Tensor audio_;
  SampleRequest request_;
};

TEST_F(Transducer, WritesWhatALoopOverItsFilesWrites) {
  make({.kind = DecodeKind::Transducer, .blank = kNoLetter, .most_per_frame = 3});
  for (size_t sample = 0; sample < 3; ++sample) {
    EXPECT_THAT(text(sample), ElementsAreArray(by_loop(sample))) << sample;
    EXPECT_FALSE(text(sample).empty()) << sample;
  }
  EXPECT_THAT(text(0), Not(ElementsAreArray(text(1)))) << "the audio decides";
}

TEST_F(Transducer, OfDurationsWritesWhatALoopOverItsFilesWrites) {
  make({.kind = DecodeKind::Tdt, .blank = kNoLetter, .most_per_frame = 3, .durations = kFramesToGoOn});
  for (size_t sample = 0; sample < 3; ++sample) EXPECT_THAT(text(sample), ElementsAreArray(by_loop(sample))) << sample;
  const std::vector<int64_t> with_durations = text(0);
  request_.state->decode->durations = {1, 2, 4};
  EXPECT_THAT(text(0), ElementsAreArray(by_loop(0)));
  EXPECT_LT(text(0).size(), with_durations.size()) << "longer steps";
}

TEST_F(Transducer, ReadsAFrameWithoutTheAxisThatCountsThem) {
  make({.kind = DecodeKind::Transducer, .blank = kNoLetter, .most_per_frame = 2}, false);
  std::vector<int64_t> found = text(1);
  make({.kind = DecodeKind::Transducer, .blank = kNoLetter, .most_per_frame = 2}, true);
  EXPECT_THAT(found, ElementsAreArray(by_loop(1)));
}

TEST_F(Transducer, EndsWithTheLastFrameThatCounts) {
  make({.kind = DecodeKind::Transducer, .blank = kNoLetter, .most_per_frame = 2}, true, "enc:lengths");
  EXPECT_THAT(text(2), ElementsAreArray(by_loop(2))) << "the encoder counts all frames";
}

TEST_F(Transducer, IsCutAtTheLongestText) {
  make({.kind = DecodeKind::Transducer, .blank = kNoLetter, .most_per_frame = 3});
  ASSERT_GT(text(0).size(), 2U);
  request_.state->decode->most = 2;
  EXPECT_EQ(text(0).size(), 2U);
}

TEST_F(Transducer, GivesTheStepsThatItsLoopFeeds) {
  make({.kind = DecodeKind::Transducer, .blank = kNoLetter, .most_per_frame = 3});
  const auto steps = open_samples(request_, *model_);
  const Graph& graph = model_->graph();
  const auto input = [&](const char* name) {
    return as_index(std::ranges::find(graph.inputs(), *graph.find_value(name)) - graph.inputs().begin());
  };
  const size_t frame = input(kFrameInput.data()), ids = input("pred:ids"), h = input("pred:h");
  int64_t last = 0;
  size_t letters = 0;
  const std::vector<int64_t> found = text(0);
  for (size_t step = 1; step < kStepsOfAClip; ++step) {
    const Sample before = steps->read(step - 1), now = steps->read(step);
    const int64_t at = now.inputs[frame].data<int64_t>()[0];
    const bool stays = now.inputs[h].data<float>()[0] == before.inputs[h].data<float>()[0];
    EXPECT_GE(at, last);
    if (stays)
      EXPECT_EQ(now.inputs[ids].data<int64_t>()[0], before.inputs[ids].data<int64_t>()[0]) << "a blank feeds nothing";
    else
      EXPECT_EQ(now.inputs[ids].data<int64_t>()[0], found[letters++]) << step;
    last = at;
  }
  EXPECT_GT(last, 0);
  EXPECT_GT(letters, 0U);
}

TEST_F(Transducer, APupilReadsTheFramesAndTokensOfItsTeacher) {
  make({.kind = DecodeKind::Transducer, .blank = kNoLetter, .most_per_frame = 3});
  const auto teacher = open_samples(request_, *model_);
  Model other = model_->clone();
  test::Numbers numbers(2);
  GraphPatch patch;
  patch.reason = "another joiner";
  patch.replace_constants.emplace_back("join:w", numbers.tensor({8, kLetters}));
  apply_patch(other, patch);
  const auto pupil = open_samples(request_, other, {.teacher = teacher.get()}), own = open_samples(request_, other);
  bool differs = false;
  for (size_t step = 0; step < kStepsOfAClip; ++step) {
    const Sample taught = teacher->read(step), found = pupil->read(step), alone = own->read(step);
    for (size_t i = 1; i < taught.inputs.size(); ++i) {
      const auto bytes = [&](const Sample& sample) {
        return std::string_view(static_cast<const char*>(sample.inputs[i].raw()), sample.inputs[i].byte_count());
      };
      EXPECT_EQ(bytes(taught), bytes(found)) << step << ' ' << i << ": the predictor is the same";
      differs = differs || bytes(taught) != bytes(alone);
    }
  }
  EXPECT_TRUE(differs) << "without a teacher it reads its own";
}

}  // namespace
}  // namespace detent
