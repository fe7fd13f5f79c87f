#include "evaluate/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "evaluate/error_sums.h"
#include "evaluate/float_network.h"
#include "evaluate/trial.h"
#include "evaluate/variants_of.h"
#include "exec/coded_network.h"
#include "place/plan/placement_plan.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "run/memory_source.h"
#include "run/open_samples.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// Every layer alone and all except it, sharing and not.
struct BothWays {
  std::vector<size_t> steps;  // of the sharing run: float model, all quantized, then the pairs of each choice
  Evaluation shared;
  Evaluation naive;
};

BothWays evaluate_both_ways(test::VariantsOf& network, const std::vector<std::string>& names) {
  ModelsSideBySide shared(network.model);
  std::vector<Model> models;
  const auto add = [&](const PlacementPlan& plan, std::optional<size_t> base) {
    models.push_back(network.variants.model(plan));
    return shared.add(network.variants.patch(plan), base);
  };
  const size_t all = add(network.variants.plan({}), std::nullopt);
  for (const FloatChoice& choice : network.variants.choices()) {
    add(network.variants.alone(choice), std::nullopt);
    add(network.variants.all_but(choice), all);
  }
  BothWays result;
  EvaluationRequest request{network.model, names, network.source, network.settings, "sharing or not"};
  request.by_batch = true;
  result.shared = evaluate_side_by_side(shared, request);
  result.steps = shared.step_counts();
  result.naive = evaluate_models(models, request);
  return result;
}

void expect_same_bits(const BothWays& found) {
  EXPECT_EQ(found.shared.samples, found.naive.samples);
  EXPECT_EQ(found.shared.outputs, found.naive.outputs);
  ASSERT_EQ(found.shared.errors.size(), found.naive.errors.size());
  for (size_t v = 0; v < found.naive.errors.size(); ++v)
    for (size_t i = 0; i < found.naive.outputs.size(); ++i) {
      const ErrorSums& a = found.shared.errors[v][i];
      const ErrorSums& b = found.naive.errors[v][i];
      EXPECT_EQ(a.signal, b.signal) << "variant " << v;
      EXPECT_EQ(a.noise, b.noise) << "variant " << v;
      EXPECT_EQ(a.dot, b.dot) << "variant " << v;
      EXPECT_EQ(a.agreeing, b.agreeing) << "variant " << v;
    }
  ASSERT_EQ(found.shared.by_batch.size(), found.naive.by_batch.size());
  for (size_t v = 0; v < found.naive.by_batch.size(); ++v) {
    ASSERT_EQ(found.shared.by_batch[v].size(), found.naive.by_batch[v].size());
    for (size_t b = 0; b < found.naive.by_batch[v].size(); ++b)
      for (size_t i = 0; i < found.naive.outputs.size(); ++i)
        EXPECT_EQ(found.shared.by_batch[v][b][i].noise, found.naive.by_batch[v][b][i].noise);
  }
}

class VariantsSideBySideForBothTargets : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Targets, VariantsSideBySideForBothTargets, ::testing::Values("tensorrt", "onnxruntime"));

TEST_P(VariantsSideBySideForBothTargets, GiveTheBitsOfTheModelsRunOneByOne) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(5));
  test::VariantsOf network(model, source, GetParam());
  ASSERT_GE(network.variants.choices().size(), 4U);
  expect_same_bits(evaluate_both_ways(network, {"y"}));
}

TEST_P(VariantsSideBySideForBothTargets, GiveTheBitsOfTheModelsRunOneByOneOnTheBundledSample) {
  const std::filesystem::path sample = std::filesystem::path(DETENT_SOURCE_DIR) / "datasets/samples/shapes_unet";
  Model model = read_float_model(sample / "model_opset13.onnx");
  DataOptions data;
  data.sources = {(sample / "calib").string()};
  data.preprocess = "unit,mean=.485/.456/.406,std=.229/.224/.225";
  data.limit = 2;
  const auto source = open_samples(parse_samples(data), model);
  prepare_model(model, find_target(GetParam()));
  test::VariantsOf network(model, *source, GetParam());
  ASSERT_GE(network.variants.choices().size(), 10U);
  expect_same_bits(evaluate_both_ways(network, {"logits"}));
}

TEST(VariantsSideBySide, RunOnlyWhatALayerChanges) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(1));
  test::VariantsOf network(model, source, "tensorrt");
  std::vector<size_t> steps = evaluate_both_ways(network, {"y"}).steps;
  // Five convolutions with their fused operators, and the Mul; a pair is two steps, or one where a Conv takes its
  // codes, which all do except the one in front of the Add.
  const bool codes = test::sums_codes();
  EXPECT_EQ(steps[0], 6U);
  EXPECT_EQ(steps[1], codes ? 6U + 5 + 1 : 6U + 2 * 5);
  steps.erase(steps.begin(), steps.begin() + 2);
  // Alone and all except it: the stem; the layer left of the Add, whose input has a pair for the Add in any case; the
  // one right of it, with the pair of the skip, and apart from the Add when it is float; the wide layer; the head.
  if (codes) {
    EXPECT_THAT(steps, ElementsAre(7, 11, 6, 8, 7, 10, 3, 3, 2, 1));
  } else {
    EXPECT_THAT(steps, ElementsAre(8, 14, 7, 11, 8, 12, 4, 4, 3, 1));
  }
}

TEST(VariantsSideBySide, LeaveNothingToDoForAVariantThatIsTheFloatModel) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(1));
  ModelsSideBySide shared(model);
  shared.add({});
  const std::vector<std::string> names{"y"};
  const RunSettings settings;
  const auto found = evaluate_side_by_side(shared, {model, names, source, settings, "nothing"});
  EXPECT_EQ(shared.step_counts()[1], 0U);
  EXPECT_EQ(found.errors[0][0].noise, 0);
  EXPECT_GT(found.errors[0][0].signal, 0);
}

TEST(VariantsSideBySide, GiveTheSameBitsForAnyNumberOfThreads) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(9));
  std::vector<double> noise;
  for (const size_t threads : {1, 2, 5}) {
    test::VariantsOf network(model, source, "tensorrt");
    network.settings.threads = threads;
    noise.push_back(evaluate_both_ways(network, {"y"}).shared.errors.back().front().noise);
  }
  EXPECT_EQ(noise[0], noise[1]);
  EXPECT_EQ(noise[0], noise[2]);
}

TEST(VariantsSideBySide, RunSomeOfThemWithTheSameBits) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(1));
  test::VariantsOf network(model, source, "tensorrt");
  ModelsSideBySide shared(model);
  const size_t all = shared.add(network.variants.patch(network.variants.plan({})));
  for (const FloatChoice& choice : network.variants.choices())
    shared.add(network.variants.patch(network.variants.all_but(choice)), all);
  shared.prepare({"y"}, 1);
  BufferPool pool;
  std::map<size_t, std::vector<float>> whole, some;
  const auto into = [](std::map<size_t, std::vector<float>>& found) {
    return [&found](std::optional<size_t> variant, std::vector<Tensor>&& outputs) {
      const auto data = outputs.front().data<float>();
      if (variant) found[*variant].assign(data.begin(), data.end());
    };
  };
  shared.run(source.read(0).inputs, pool, into(whole));
  std::vector<bool> wanted(shared.size());
  wanted[2] = wanted[4] = true;
  shared.run(source.read(0).inputs, pool, into(some), &wanted);
  ASSERT_EQ(some.size(), 2U);
  for (const auto& [variant, output] : some) EXPECT_EQ(output, whole.at(variant)) << variant;
}

TEST(VariantsSideBySide, StopBetweenVariantsWhenInterrupted) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(1));
  ModelsSideBySide shared(model);
  shared.add({});
  shared.prepare({"y"}, 1);
  interrupted() = true;
  BufferPool pool;
  size_t taken = 0;
  try {
    shared.run(source.read(0).inputs, pool, [&](auto, auto&&) { ++taken; });
    ADD_FAILURE() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Interrupted);
  }
  interrupted() = false;
  EXPECT_EQ(taken, 0U);
}

}  // namespace
}  // namespace detent
