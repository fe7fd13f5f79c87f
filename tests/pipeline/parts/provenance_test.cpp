#include <gtest/gtest.h>

#include <filesystem>

#include "detent/base/version.h"
#include "detent/detent.h"
#include "model/origin.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

const fs::path kProvenanceSample = fs::path(DETENT_SOURCE_DIR) / "datasets/samples/shapes_unet";

class WrittenProvenance : public ::testing::Test {
 protected:
  [[nodiscard]] QuantizeOptions sample_options() const {
    QuantizeOptions options;
    options.model = kProvenanceSample / "model_opset13.onnx";
    options.data.sources = {(kProvenanceSample / "calib").string()};
    options.data.preprocess = "unit";
    options.data.limit = 3;
    options.error_samples = 1;
    options.calibrator = "max";
    options.output = folder_ / "model.onnx";
    options.overwrite = true;
    return options;
  }
  /// Returns the provenance of a model that is written with these options.
  static Provenance of(const QuantizeOptions& options) {
    (void)quantize_model(options);
    return inspect_model(options.output).provenance.value();
  }
  TemporaryFolder folder_;
};

TEST_F(WrittenProvenance, SaysWhoMadeTheModelAndOfWhat) {
  QuantizeOptions options = sample_options();
  options.format.per_tensor = true;
  options.placement.concat = PlacementOptions::Concat::Inputs;
  const Provenance provenance = of(options);
  EXPECT_EQ(provenance.producer, tool_version());
  EXPECT_EQ(provenance.target, "tensorrt:10.13");
  EXPECT_EQ(provenance.calibrator, "max");
  EXPECT_EQ(provenance.samples, 3U);
  EXPECT_EQ(provenance.sample_digest.size(), 32U);
  EXPECT_EQ(provenance.ranges.size(), 32U);
  EXPECT_EQ(provenance.options, "concat=inputs; per-tensor=on");
  EXPECT_EQ(provenance.source_producer, producer_of(read_model(options.model)));
}

TEST_F(WrittenProvenance, NamesTheLayersThatWereLeftFloatOnPurpose) {
  EXPECT_TRUE(of(sample_options()).float_layers.empty());
  QuantizeOptions options = sample_options();
  options.placement.exclude = {"^/head/"};
  const Provenance provenance = of(options);
  ASSERT_EQ(provenance.float_layers.size(), 1U);
  EXPECT_EQ(provenance.float_layers.begin()->first, "/head/Conv");
  EXPECT_EQ(provenance.float_layers.begin()->second.find("R12 "), 0U) << provenance.float_layers.begin()->second;
}

TEST_F(WrittenProvenance, IsNoneOfAFloatModel) {
  const ModelReport report = inspect_model(kProvenanceSample / "model_opset13.onnx");
  EXPECT_FALSE(report.provenance.has_value());
}

TEST_F(WrittenProvenance, NamesNoOptionThatIsTheTargetsDefault) {
  QuantizeOptions options = sample_options();
  options.format.int8_weights = true;
  options.equalize.equalize = "outliers";
  EXPECT_EQ(of(options).options, "");
}

TEST_F(WrittenProvenance, NamesWhatAutoTook) {
  QuantizeOptions options = sample_options();
  options.calibrator = "auto";
  const QuantizeReport report = quantize_model(options);
  EXPECT_EQ(report.provenance.calibrator, report.calibrator);
  EXPECT_NE(report.provenance.calibrator, "auto");
}

TEST_F(WrittenProvenance, TellsOtherSamplesAndOtherRangesApart) {
  const Provenance first = of(sample_options());
  QuantizeOptions fewer = sample_options();
  fewer.data.limit = 2;
  EXPECT_NE(of(fewer).sample_digest, first.sample_digest);
  QuantizeOptions other = sample_options();
  other.calibrator = "mse";
  const Provenance second = of(other);
  EXPECT_NE(second.ranges, first.ranges);
  EXPECT_EQ(second.sample_digest, first.sample_digest);
}

TEST_F(WrittenProvenance, DoesNotDependOnThreadsOrTheOrderOfSamples) {
  QuantizeOptions one = sample_options();
  one.data.limit.reset();
  one.run.threads = 1;
  const Provenance first = of(one);
  QuantizeOptions other = one;
  other.run.threads = 4;
  other.data.shuffle = 3;
  const Provenance second = of(other);
  EXPECT_EQ(second.ranges, first.ranges);
  EXPECT_EQ(second.sample_digest, first.sample_digest);
}

TEST_F(WrittenProvenance, LeavesOtherMetadataAlone) {
  Model model = read_model(kProvenanceSample / "model_opset13.onnx");
  set_origin(model, {"trainer", "7", {{"classes", "square,circle"}}}, "detent.");
  write_model(model, folder_ / "float.onnx");
  QuantizeOptions options = sample_options();
  options.model = folder_ / "float.onnx";
  EXPECT_EQ(of(options).source_producer, "trainer 7");
  EXPECT_EQ(origin_of(read_model(options.output)).metadata.at("classes"), "square,circle");
}

}  // namespace
}  // namespace detent
