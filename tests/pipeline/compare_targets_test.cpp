// Targets side by side: each variant is the file that quantize writes for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CompareTargets : public SmallNetwork {
 protected:
  [[nodiscard]] CompareOptions asked_for(std::vector<std::string> targets, std::vector<std::string> calibrators) const {
    CompareOptions asked;
    asked.model = folder_ / "model.onnx";
    asked.data.sources = {samples("data", {1, 2, 3, 4, 5, 6, 7, 8})};
    asked.evaluation.data.sources = {samples("eval", {2, 3, 4, 5})};
    asked.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
    asked.targets = std::move(targets);
    asked.calibrators = std::move(calibrators);
    return asked;
  }
  static Error refusal(const CompareOptions& options) {
    return error_of<Error>([&] { static_cast<void>(compare_targets(options)); });
  }
};

TEST_F(CompareTargets, JudgesTheFilesThatQuantizeWrites) {
  const CompareOptions asked = asked_for({"tensorrt", "onnxruntime"}, {"max"});
  const CompareTargetsReport report = compare_targets(asked);
  ASSERT_EQ(report.variants.size(), 2U);
  for (const TargetVariant& variant : report.variants) {
    QuantizeOptions one = options(asked.data.sources.front());
    one.target = variant.target;
    one.bound.evaluation.data = asked.evaluation.data;
    const QuantizeReport written = quantize_model(one);
    EXPECT_EQ(variant.name, one.target);
    EXPECT_EQ(variant.calibrator, "max");
    EXPECT_EQ(variant.size_bytes, written.output_bytes) << one.target;
    EXPECT_EQ(variant.metrics.at("sqnr_db"), written.error->sqnr_db) << one.target;
    EXPECT_EQ(variant.plan.coverage.pairs, written.plan.coverage.pairs) << one.target;
    EXPECT_EQ(variant.plan.coverage.int8_layers, written.plan.coverage.int8_layers) << one.target;
  }
  EXPECT_THAT(report.targets, ElementsAre(report.variants[0].target, report.variants[1].target));
}

TEST_F(CompareTargets, TakesEachTargetWithEachCalibrator) {
  const CompareTargetsReport report = compare_targets(asked_for({"tensorrt", "tensorrt:8.6"}, {"max", "mse"}));
  std::vector<std::string> names;
  for (const auto& variant : report.variants) names.push_back(variant.name);
  EXPECT_THAT(names, ElementsAre("tensorrt:10.13 max", "tensorrt:10.13 mse", "tensorrt:8.6 max", "tensorrt:8.6 mse"));
}

TEST_F(CompareTargets, HasThePlanOfEachTargetWithoutEdges) {
  for (const TargetVariant& variant : compare_targets(asked_for({"tensorrt", "onnxruntime"}, {"max"})).variants) {
    EXPECT_EQ(variant.plan.target, variant.target);
    EXPECT_FALSE(variant.plan.layers.empty());
    EXPECT_TRUE(variant.plan.edges.empty());
  }
}

TEST_F(CompareTargets, RefusesTargetsThatAreTheSameAndOptionsThatOneRefuses) {
  EXPECT_THAT(refusal(asked_for({"tensorrt", "tensorrt:10"}, {"max"})).what(), HasSubstr("are the same target"));
  CompareOptions layers = asked_for({"tensorrt", "onnxruntime"}, {"max"});
  layers.layer_samples = 2;
  EXPECT_THAT(refusal(layers).what(), HasSubstr("--layers does not apply to --targets"));
  CompareOptions wide = asked_for({"onnxruntime", "tensorrt"}, {"max"});
  wide.format.activation = DataType::Int16;
  EXPECT_THAT(refusal(wide).what(), StartsWith("target tensorrt: "));
}

}  // namespace
}  // namespace detent
