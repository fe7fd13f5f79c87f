#include "tune/equalize/fold_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent {
namespace {

using ::testing::ElementsAre;

/// Returns the number behind the "y" of the model's output.
double number_of(const Model& model) {
  const Graph& graph = model.graph();
  return std::stod(graph.value(graph.outputs().front()).name.substr(1));
}

/// Records how many models the judge gets at a time, and scores each by its number.
std::pair<std::vector<size_t>, FoldScores> judged(size_t count, bool one_by_one) {
  std::vector<size_t> at_a_time;
  const FoldScorer scorer = [&](std::span<const Model> models) {
    at_a_time.push_back(models.size());
    FoldScores scores;
    for (const Model& model : models) scores.push_back({{number_of(model)}});
    return scores;
  };
  const auto make = [](size_t i) {
    const std::string name = "y" + std::to_string(i);
    return parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[1] x) => (float[1] " + name + ") { " +
                            name + " = Relu (x) }");
  };
  FoldScores scores = judge_models(scorer, count, make, one_by_one);
  return {at_a_time, scores};
}

const FoldScores kOfThree{{{0}}, {{1}}, {{2}}};

TEST(JudgeModels, AsksOfAllAtOnce) {
  const auto [at_a_time, scores] = judged(3, false);
  EXPECT_THAT(at_a_time, ElementsAre(3));
  EXPECT_EQ(scores, kOfThree);
}

TEST(JudgeModels, LargeOnesAreThereOneAtATime) {
  const auto [at_a_time, scores] = judged(3, true);
  EXPECT_THAT(at_a_time, ElementsAre(1, 1, 1));
  EXPECT_EQ(scores, kOfThree);
}

TEST(JudgeModels, NothingIsAskedOfNone) {
  for (const bool one_by_one : {false, true}) EXPECT_THAT(judged(0, one_by_one).first, ElementsAre());
}

}  // namespace
}  // namespace detent
