#include "tune/keep_layers_float.h"
#include "detent/detent.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "core/process/early_end.h"
#include "datasets/base/npy_writer.h"
#include "detent/base/error.h"
#include "evaluate/float_network.h"
#include "evaluate/trial.h"
#include "evaluate/variants_of.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "place/rules/rules.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names_of(const BoundReport& report) {
  std::vector<std::string> names;
  for (const auto& kept : report.kept) names.push_back(kept.name);
  return names;
}

/// The residual network under a bound on its SQNR.
BoundedPlan within(test::VariantsOf& network, double min_sqnr_db) {
  AccuracyBound bound;
  bound.min_sqnr_db = min_sqnr_db;
  const BoundJudge judge(bound, {}, network.model, &network.source, network.settings);
  return keep_layers_float({network.variants, network.model, judge, network.settings});
}

double sqnr_of(test::VariantsOf& network, const PlacementPlan& plan) {
  const std::vector<Model> models = [&] {
    std::vector<Model> list;
    list.push_back(network.variants.model(plan));
    return list;
  }();
  const std::vector<std::string> names{"y"};
  return evaluate_models(models, {network.model, names, network.source, network.settings, "judging"})
      .report(0)
      .sqnr_db.value();
}

TEST(KeepLayersFloat, KeepsNothingWhereTheBoundHolds) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(6));
  test::VariantsOf network(model, source, "tensorrt");
  const BoundedPlan found = within(network, 10);
  EXPECT_TRUE(found.report.met);
  EXPECT_THAT(found.report.kept, IsEmpty());
  EXPECT_EQ(found.report.measurements, 1U);
  EXPECT_EQ(found.plan.coverage.int8_layers, 5);
}

TEST(KeepLayersFloat, KeepsTheBadLayerAloneAndSaysWhatItCosts) {
  const Model model = test::residual_network(64);
  const MemorySource source(test::residual_samples(6));
  test::VariantsOf network(model, source, "tensorrt");
  const double all = sqnr_of(network, network.plan);
  const double without_it = sqnr_of(network, network.variants.all_but(network.choice("Conv_8")));
  ASSERT_GT(without_it, all + 3);
  const BoundedPlan found = within(network, (all + without_it) / 2);
  EXPECT_TRUE(found.report.met);
  EXPECT_THAT(names_of(found.report), ElementsAre("Conv_8"));
  EXPECT_EQ(found.report.reached, without_it);
  EXPECT_EQ(found.report.all_int8, all);
  const std::string cost = fmt::format("INT8 costs {:.1f} dB; --min-sqnr", without_it - all);
  EXPECT_THAT(found.report.kept.front().reason, HasSubstr(cost));
  const LayerDecision* layer = found.plan.find_layer(*model.graph().find_node("Conv_8"));
  EXPECT_FALSE(layer->runs_on_codes());
  EXPECT_EQ(layer->reason, found.report.kept.front().reason);
  EXPECT_EQ(layer->rule, &rules::kMeasuredChoice);
}

TEST(KeepLayersFloat, MeetsEveryBoundBelowTheFloatModelWithFewerLayersTheLowerItIs) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(6));
  size_t before = 0;
  for (const double more : {0.5, 2.0, 4.0}) {
    test::VariantsOf network(model, source, "tensorrt");
    const double bound = sqnr_of(network, network.plan) + more;
    const BoundedPlan found = within(network, bound);
    ASSERT_TRUE(found.report.met) << more;
    EXPECT_GE(found.report.reached, bound);
    EXPECT_EQ(found.report.reached, sqnr_of(network, found.plan));
    EXPECT_GE(found.report.kept.size(), before);
    EXPECT_LT(found.report.kept.size(), 5U);
    before = found.report.kept.size();
  }
  EXPECT_GT(before, 0U);
}

TEST(KeepLayersFloat, GivesTheBestWhereOnlyTheFloatModelWouldDo) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(6));
  test::VariantsOf network(model, source, "tensorrt");
  const BoundedPlan found = within(network, 140);
  EXPECT_FALSE(found.report.met);
  EXPECT_GE(found.plan.coverage.int8_layers, 1);
  EXPECT_GT(found.report.reached, found.report.all_int8);
}

TEST(KeepLayersFloat, MeasuresAllLayersWhereTheTimeIsUp) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(6));
  test::VariantsOf network(model, source, "tensorrt");
  AccuracyBound bound;
  bound.min_sqnr_db = 140;
  const BoundJudge judge(bound, {}, network.model, &network.source, network.settings);
  EarlyEnd early(1e-9);
  early.begin();
  const BoundedPlan found = keep_layers_float({network.variants, network.model, judge, network.settings});
  EXPECT_TRUE(is_ending_early());
  EXPECT_FALSE(found.report.met);
  EXPECT_THAT(names_of(found.report), IsEmpty());
  EXPECT_EQ(found.report.reached, found.report.all_int8);
  EXPECT_LT(found.report.reached, 140);
}

TEST(KeepLayersFloat, ChoosesTheSameForAnyNumberOfThreads) {
  const Model model = test::residual_network(64);
  const MemorySource source(test::residual_samples(6));
  std::vector<BoundReport> reports;
  for (const size_t threads : {1, 3}) {
    test::VariantsOf network(model, source, "tensorrt");
    network.settings.threads = threads;
    reports.push_back(within(network, sqnr_of(network, network.plan) + 6).report);
  }
  EXPECT_EQ(names_of(reports[0]), names_of(reports[1]));
  EXPECT_EQ(reports[0].reached, reports[1].reached);
  EXPECT_EQ(reports[0].kept.front().reason, reports[1].kept.front().reason);
}

/// The residual network as a classifier of 16 classes, on disk: images of noise, labelled by the float model.
class MaxDrop : public ::testing::Test {
 protected:
  static constexpr size_t kSamples = 60;

  MaxDrop() : model_(test::residual_network(256)) {
    GraphPatch patch;
    patch.reason = "classify";
    patch.rename_outputs = {{"Conv_10", 0, "features"}};
    patch.add_nodes = {{"GlobalAveragePool", "pool", {"features"}, {"y"}, {}, ""}};
    patch.rewire = {};
    apply_patch(model_, patch);
    write_model(model_, folder_ / "model.onnx");
    std::filesystem::create_directory(folder_ / "x");
    std::string labels = "file,label\n";
    auto samples = test::residual_samples(kSamples);
    test::Numbers tints(13);  // a mean for every channel, which distinguishes the classes
    for (size_t i = 0; i < kSamples; ++i) {
      const auto pixels = samples[i].mutable_data<float>();
      for (size_t channel = 0; channel < 16; ++channel) {
        const float tint = tints.next();
        for (float& pixel : pixels.subspan(channel * 64, 64)) pixel += tint;
      }
      const std::string name = "sample" + std::to_string(100 + i) + ".npy";
      write_npy(folder_ / "x" / name, samples[i]);
      const auto scores = run_once(model_.graph(), std::span(&samples[i], 1), model_.graph().outputs()).front();
      const auto span = scores.data<float>();
      labels += name + "," + std::to_string(std::ranges::max_element(span) - span.begin()) + "\n";
    }
    folder_.write("labels.csv", labels);
  }

  [[nodiscard]] QuantizeOptions options(double max_drop) const {
    QuantizeOptions options;
    options.model = folder_ / "model.onnx";
    options.output = folder_ / "out.onnx";
    options.data.sources = {(folder_ / "x").string()};
    options.calibrator = "max";
    options.accuracy = Accuracy::Fast;  // the bound alone keeps layers float
    options.bound.max_drop = max_drop;
    options.bound.evaluation.data.sources = {(folder_ / "x").string()};
    options.bound.evaluation.labels = folder_ / "labels.csv";
    return options;
  }

  Model model_;
  TemporaryFolder folder_;
};

TEST_F(MaxDrop, IsMeasuredOnTheLabels) {
  const QuantizeReport report = quantize_model(options(0.05));
  ASSERT_TRUE(report.bound);
  EXPECT_EQ(report.bound->metric, "top1");
  EXPECT_EQ(report.bound->fp32, 1.0);
  ASSERT_LT(report.bound->all_int8, 0.95) << "the network is too easy for this test";
  EXPECT_TRUE(report.bound->met);
  EXPECT_GE(report.bound->reached, 0.95);
  EXPECT_FALSE(report.bound->kept.empty());
  EXPECT_THAT(report.bound->kept.front().reason, AllOf(HasSubstr("points of top-1"), HasSubstr("--max-drop 0.05")));
  EXPECT_LT(report.plan.coverage.int8_layers, report.plan.coverage.layers);
  EXPECT_GT(report.plan.coverage.int8_layers, 0);
  ASSERT_TRUE(report.score && report.score->interval);
  EXPECT_NEAR(*report.score->drop, 1 - report.bound->reached, 1e-12);
  EXPECT_LT(report.score->interval->first, *report.score->drop);
}

/// One more and one fewer of 60 that are right is an error of 2.4 points: the interval is 4.7 points to either side.
TEST_F(MaxDrop, IsNotShownOnTooFewSamples) {
  const QuantizeReport report = quantize_model(options(0.03));
  ASSERT_TRUE(report.bound && report.score && report.score->interval);
  EXPECT_TRUE(report.bound->met);
  EXPECT_EQ(report.bound->outcome, BoundOutcome::NotShown);
  EXPECT_GT(report.score->interval->second, 0.047);
  ASSERT_TRUE(report.bound->samples_needed);
  EXPECT_GE(*report.bound->samples_needed, 140U) << "60 (4.7 / 3)^2 where no sample is lost";
}

TEST_F(MaxDrop, HoldsWhereTheWholeIntervalIsWithin) {
  QuantizeOptions wide = options(0.2);
  wide.placement.exclude = {"^Conv_(2|4|8|10)$"};
  const QuantizeReport report = quantize_model(wide);
  ASSERT_TRUE(report.bound && report.score);
  EXPECT_EQ(report.bound->outcome, BoundOutcome::Holds);
  ASSERT_TRUE(report.score->interval);
  EXPECT_LT(report.score->interval->second, 0.2);
  // One more and one fewer of 60 that are right: sqrt(2) / 60, times Student's quantile.
  EXPECT_GE(report.score->interval->second - *report.score->drop, 2 * std::sqrt(2.0) / kSamples);
}

TEST_F(MaxDrop, IsNotNeededForAScore) {
  QuantizeOptions unbounded = options(0);
  unbounded.bound.max_drop.reset();
  unbounded.accuracy = Accuracy::Fast;
  const QuantizeReport report = quantize_model(unbounded);
  EXPECT_FALSE(report.bound);
  ASSERT_TRUE(report.score && report.score->interval);
  EXPECT_EQ(report.score->metric, "top1");
  EXPECT_EQ(report.score->fp32, 1.0);
  EXPECT_NEAR(*report.score->drop, 1 - report.score->quantized, 1e-12);
  EXPECT_GT(*report.score->drop, 0) << "the network is too easy for this test";
  EXPECT_EQ(report.score->samples, kSamples);
  EXPECT_EQ(report.plan.coverage.int8_layers, report.plan.coverage.layers) << "nothing is searched";

  unbounded.bound.evaluation.labels.clear();
  unbounded.overwrite = true;
  EXPECT_FALSE(quantize_model(unbounded).score) << "without labels there is none";
}

TEST_F(MaxDrop, WritesTheBestAndSaysSoWhereItCannotBeMet) {
  QuantizeOptions impossible = options(0);
  impossible.placement.exclude = {"^Conv_(0|2|4|10)$"};  // one layer is left: INT8 or nothing
  const QuantizeReport report = quantize_model(impossible);
  ASSERT_TRUE(report.bound);
  EXPECT_FALSE(report.bound->met);
  EXPECT_EQ(report.bound->outcome, BoundOutcome::Broken);
  EXPECT_FALSE(report.bound->samples_needed);
  EXPECT_EQ(report.plan.coverage.int8_layers, 1);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out.onnx"));
}

TEST_F(MaxDrop, NeedsAScoreAndSamples) {
  QuantizeOptions unlabelled = options(0.01);
  unlabelled.bound.evaluation.labels.clear();
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(quantize_model(unlabelled)); }).code(), ErrorCode::Usage);
  QuantizeOptions without_samples = options(0.01);
  without_samples.bound.evaluation.data.sources.clear();
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(quantize_model(without_samples)); }).code(), ErrorCode::Usage);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.onnx"));
}

TEST_F(MaxDrop, WritesTheSameBytesForAnyNumberOfThreads) {
  std::vector<std::string> bytes;
  for (const size_t threads : {1, 2}) {
    QuantizeOptions one = options(0.05);
    one.run.threads = threads;
    one.overwrite = true;
    static_cast<void>(quantize_model(one));
    std::ifstream file(one.output, std::ios::binary);
    bytes.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

}  // namespace
}  // namespace detent
