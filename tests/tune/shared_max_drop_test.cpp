#include <gtest/gtest.h>

#include "detent/detent.h"
#include "model/temporary_folder.h"
#include "shared_folder.h"

namespace detent {
namespace {

/// cifar10_efficientnet_b0, which loses many points in symmetric INT8, on the first samples.
TEST(SharedMaxDrop, KeepsAFewLayersOfEfficientNetFloat) {
  const auto shared = shared_folder();
  if (!std::filesystem::exists(shared / "models/cifar10_efficientnet_b0"))
    GTEST_SKIP() << "no models/cifar10_efficientnet_b0 in " << shared;
  const TemporaryFolder folder;
  QuantizeOptions options;
  options.model = shared / "models/cifar10_efficientnet_b0/model_opset17.onnx";
  options.data.sources = {(shared / "images/cifar10/calib").string()};
  options.data.preprocess = "unit,resize=64x64,mean=.4914/.4822/.4465,std=.2470/.2435/.2616";
  options.data.limit = 24;
  options.calibrator = "percentile:99.9";
  options.output = folder / "out.onnx";
  options.bound.max_drop = 0.01;
  options.bound.evaluation.data.sources = {(shared / "images/cifar10/eval").string()};
  options.bound.evaluation.data.preprocess = options.data.preprocess;
  options.bound.evaluation.data.shuffle = 1;  // files are sorted by class
  options.bound.evaluation.data.limit = 200;
  options.bound.evaluation.labels = shared / "images/cifar10/eval.csv";
  const QuantizeReport report = quantize_model(options);
  ASSERT_TRUE(report.bound);
  EXPECT_TRUE(report.bound->met);
  EXPECT_GE(report.bound->reached, *report.bound->fp32 - 0.01 - 1e-9);
  // "With most MACs still INT8."
  EXPECT_GT(2 * report.plan.coverage.int8_macs, report.plan.coverage.macs);
}

}  // namespace
}  // namespace detent
