#include "tune/equalize/cross_fit.h"
#include "calibrate/choose_ranges.h"

#include <gtest/gtest.h>

#include <set>

#include "evaluate/float_network.h"
#include "exec/executor.h"
#include "run/memory_source.h"
#include "run/model_inputs.h"
#include "tune/equalize/judge_without_memory.h"

namespace detent {
namespace {

/// The samples that a judge was given.
struct Round {
  std::set<std::string> fit, held_out;
};

std::set<std::string> sample_names(const DataSource& source) {
  std::set<std::string> names;
  for (size_t i = 0; i < source.size(); ++i) names.insert(source.sample_name(i));
  return names;
}

/// Judges the plain residual network on `samples`; the score of each round is its number.
std::vector<Round> rounds_on(size_t samples, PartScores* said = nullptr) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(samples));
  const RunSettings settings;
  std::vector<Round> rounds;
  const auto judge = [&](std::span<const Model> models, const DataSource& fit, const DataSource& held_out) {
    EXPECT_EQ(models.size(), 1U);
    rounds.push_back({sample_names(fit), sample_names(held_out)});
    return FoldScores{{{static_cast<double>(rounds.size())}}};
  };
  const std::vector<Tensor> inputs = read_first_inputs(source, settings);
  const CrossFit cross_fit(model, {inputs, source, source, settings, no_samples()}, {}, test::without_memory(judge));
  for (size_t part = 0; part < cross_fit.parts(); ++part) {
    const auto scores = cross_fit.on_part(std::vector<std::vector<EqualizeItem>>(1), part);
    if (said) said->push_back(scores.at(0));
  }
  return rounds;
}

TEST(CrossFit, JudgesEverySampleOnceByTheOthers) {
  for (const size_t samples : {2U, 3U, 7U, 31U, 32U, 33U}) {
    std::multiset<std::string> judged;
    for (const Round& round : rounds_on(samples)) {
      judged.insert(round.held_out.begin(), round.held_out.end());
      EXPECT_EQ(round.fit.size() + round.held_out.size(), samples);
      for (const std::string& name : round.held_out) EXPECT_FALSE(round.fit.contains(name)) << name;
    }
    EXPECT_EQ(judged.size(), samples);
    EXPECT_EQ(std::set(judged.begin(), judged.end()).size(), samples);
  }
}

TEST(CrossFit, HasHalvesOfMuchAndThirdsOfLittle) {
  EXPECT_EQ(rounds_on(32).size(), 2U);
  EXPECT_EQ(rounds_on(31).size(), 3U);
  EXPECT_EQ(rounds_on(2).size(), 2U);
}

TEST(CrossFit, TakesAtMost128Samples) {
  for (const Round& round : rounds_on(200)) {
    EXPECT_EQ(round.fit.size(), 64U);
    EXPECT_EQ(round.held_out.size(), 64U);
  }
}

TEST(CrossFit, LetsASingleSampleJudgeItself) {
  const std::vector<Round> rounds = rounds_on(1);
  ASSERT_EQ(rounds.size(), 1U);
  EXPECT_EQ(rounds[0].fit, rounds[0].held_out);
}

/// Conv -> Clip(0, 6) -> Conv, channel by channel. Five samples reach 5 in one channel and 0.05 in the other, the first
/// sample of all 5 in both: factors of the others, which even channels out, push it into the Clip.
struct ReachesTheClip {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1, 2, 1, 1] x) => (float[1, 2, 1, 1] y)
<float[2, 2, 1, 1] w1 = {1, 0, 0, 1}, float low = {0}, float high = {6}, float[2, 2, 1, 1] w2 = {1, 1, 1, -1}>
{ c = Conv (x, w1)  r = Clip (c, low, high)  y = Conv (r, w2) })");
  MemorySource source{{sample(5), sample(.05F), sample(.05F), sample(.05F), sample(.05F), sample(.05F)}};

  static Tensor sample(float second) { return Tensor::from<float>({1, 2, 1, 1}, {5, second}); }
};

TEST(CrossFit, HoldsTheFactorsOfAPartToTheSamplesTheyComeFrom) {
  const ReachesTheClip given;
  const RunSettings settings;
  std::vector<double> second;  // the judged models' outputs on the first sample
  const auto judge = [&](std::span<const Model> models, const DataSource&, const DataSource& held_out) {
    if (sample_names(held_out).contains("sample0"))
      for (const Model& model : models) {
        const Graph& graph = model.graph();
        const std::vector<Tensor> inputs = given.source.read(0).inputs;
        second.push_back(run_once(graph, inputs, graph.outputs())[0].data<float>()[0]);
      }
    return FoldScores(models.size(), {{1.0}});
  };
  const std::vector<Tensor> first = read_first_inputs(given.source, settings);
  const CrossFit cross_fit(given.model, {first, given.source, given.source, settings, no_samples()}, {},
                           test::without_memory(judge));
  const std::vector<std::vector<EqualizeItem>> lists{{}, {{EqualizeFamily::Relu, 1}}};
  for (size_t part = 0; part < cross_fit.parts(); ++part) static_cast<void>(cross_fit.on_part(lists, part));
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0], 10);
  EXPECT_LT(second[1], 9) << "the sample must have reached the Clip, or this test shows nothing";
}

TEST(CrossFit, GivesWhatEveryPartSays) {
  PartScores said;
  rounds_on(10, &said);
  EXPECT_EQ(said, (PartScores{{1}, {2}, {3}}));
}

}  // namespace
}  // namespace detent
