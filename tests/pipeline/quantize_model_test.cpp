#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/files/temporary.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "detent/detent.h"
#include "detent/options/placement_options.h"
#include "exec/same_outputs.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "model/qoperators.h"
#include "place/plan/placement_plan.h"
#include "prepare/prepare_model.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/write_same.h"
#include "run/sample_subset.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

/// A folder that is removed with the test.
class QuantizeModel : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = make_temporary_folder(::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void TearDown() override {
    interrupted() = false;
    fs::remove_all(folder_);
  }

  [[nodiscard]] QuantizeOptions sample_options(const std::string& target, const std::string& output) const {
    const fs::path sample = fs::path(DETENT_SOURCE_DIR) / "datasets/samples/shapes_unet";
    QuantizeOptions options;
    options.model = sample / "model_opset13.onnx";
    options.data.sources = {(sample / "calib").string()};
    options.data.preprocess = "unit,mean=.485/.456/.406,std=.229/.224/.225";
    options.data.limit = 6;
    options.error_samples = 4;
    options.target = target;
    options.output = folder_ / output;
    return options;
  }

  static std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  [[nodiscard]] size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  fs::path folder_;
};

TEST_F(QuantizeModel, MeasuresCalibratorsInSixtyFourRunsWhereFewSamplesCalibrate) {
  QuantizeOptions options = sample_options("tensorrt", "x.onnx");
  options.data.limit.reset();
  const QuantizeReport report = quantize_model(options);
  ASSERT_TRUE(report.measured.has_value());
  size_t runs = 0;
  for (const auto& candidate : report.measured->candidates) runs += candidate.error.samples;
  constexpr size_t kFewRuns = 64, kOfEqualRanges = 8;  // candidates with the same ranges run once
  EXPECT_LE(runs, kFewRuns + kOfEqualRanges);
}

TEST_F(QuantizeModel, WritesModelsCloseToTheFloatModelForBothTargets) {
  for (const char* target : {"tensorrt", "onnxruntime"}) {
    const QuantizeReport report = quantize_model(sample_options(target, std::string(target) + ".onnx"));
    ASSERT_TRUE(report.error.has_value());
    // 8 bits with a well chosen range give 30 dB and more on a single value; 20 dB at the end means that nothing is
    // broken.
    EXPECT_GT(report.error->sqnr_db, 20) << target;
    EXPECT_GT(report.error->argmax_agreement.value(), 0.97) << target;
    EXPECT_TRUE(is_quantized(read_model(report.output).graph()));
    EXPECT_EQ(report.samples, 6U);
    EXPECT_GT(report.plan.coverage.int8_layers, 0);
  }
}

TEST_F(QuantizeModel, GivesTheSameBytesForAnyNumberOfThreads) {
  for (const char* calibrator : {"max", "entropy", "percentile:99.9", "mse"}) {
    QuantizeOptions one = sample_options("tensorrt", std::string("one.") + calibrator);
    one.calibrator = calibrator;
    one.run.threads = 1;
    QuantizeOptions three = one;
    three.output = folder_ / (std::string("three.") + calibrator);
    three.run.threads = 3;
    static_cast<void>(quantize_model(one));
    static_cast<void>(quantize_model(three));
    EXPECT_EQ(bytes_of(one.output), bytes_of(three.output)) << calibrator;
  }
}

TEST_F(QuantizeModel, GivesOtherBytesForOtherCalibrators) {
  QuantizeOptions options = sample_options("tensorrt", "max.onnx");
  options.calibrator = "max";
  static_cast<void>(quantize_model(options));
  options.calibrator = "percentile:99";
  options.output = folder_ / "percentile.onnx";
  static_cast<void>(quantize_model(options));
  EXPECT_NE(bytes_of(folder_ / "max.onnx"), bytes_of(folder_ / "percentile.onnx"));
}

ErrorCode quantize_code(const QuantizeOptions& options) {
  try {
    static_cast<void>(quantize_model(options));
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{0};
}

TEST_F(QuantizeModel, ReportsTheDistributionOfEveryQuantizedValueWithItsRange) {
  QuantizeOptions options = sample_options("tensorrt", "model.onnx");
  options.calibrator = "percentile";
  options.placement.exclude = {"head"};
  const QuantizeReport report = quantize_model(options);
  ASSERT_FALSE(report.values.empty());
  ASSERT_EQ(report.histograms.size(), report.values.size());
  for (const auto& value : report.values) {
    const auto chart = std::ranges::find(report.histograms, value.name, &ValueHistogram::name);
    ASSERT_NE(chart, report.histograms.end()) << value.name;
    EXPECT_GT(chart->count, 0U) << value.name;
    ASSERT_EQ(chart->ranges.size(), 1U) << value.name;
    EXPECT_EQ(chart->ranges[0].calibrator, report.provenance.calibrator);
    EXPECT_EQ(chart->ranges[0].min, value.min) << value.name;
    EXPECT_EQ(chart->ranges[0].max, value.max) << value.name;
  }
}

TEST_F(QuantizeModel, RefusesItsOwnOutput) {
  QuantizeOptions options = sample_options("tensorrt", "once.onnx");
  static_cast<void>(quantize_model(options));
  options.model = options.output;
  options.output = folder_ / "twice.onnx";
  EXPECT_EQ(quantize_code(options), ErrorCode::InvalidModel);
  EXPECT_EQ(files(), 1U);
}

TEST_F(QuantizeModel, RefusesToReplaceAFileUnlessAsked) {
  QuantizeOptions options = sample_options("tensorrt", "out.onnx");
  std::ofstream(options.output) << "mine";
  EXPECT_EQ(quantize_code(options), ErrorCode::CannotWrite);
  EXPECT_EQ(bytes_of(options.output), "mine");
  options.overwrite = true;
  EXPECT_EQ(quantize_code(options), ErrorCode{0});
}

/// Presses Ctrl-C as soon as some samples are done.
class Interrupter : public Reporter {
 public:
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t done) override {
    if (done >= 2) interrupted() = true;
  }
  void end() override {}
  void warn(std::string_view) override {}
};

/// Returns the check's complaint about a model that lacks a promised pair.
std::string complaint(const fs::path& output, bool overwrite) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,4] x) => (float[1,4] y) { y = Relu (x) })");
  PlacementPlan plan;
  plan.target = &find_target("tensorrt");
  plan.edges.push_back({*model.graph().find_value("x"), NodeId{0}, 0, Reads::Pair, nullptr, "by hand"});
  try {
    const PromisedFile promised = promise_of(model.graph(), plan);
    write_same(model, output, {.overwrite = overwrite},
               [&](const Model& back) { check_qdq_file(back.graph(), output, promised, {}); });
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Internal);
    return error.what();
  }
  return "";
}

TEST_F(QuantizeModel, LeavesNoFileThatFailsItsCheckAndNamesTheNode) {
  const std::string message = complaint(folder_ / "wrong.onnx", false);
  EXPECT_NE(message.find("wrong.onnx"), std::string::npos) << message;
  EXPECT_NE(message.find("Relu 'Relu_0': input 0 reads 'x' without a pair"), std::string::npos) << message;
  EXPECT_EQ(files(), 0U);
}

TEST_F(QuantizeModel, AFailedCheckKeepsTheFileThatWasToBeReplaced) {
  std::ofstream(folder_ / "old.onnx") << "old";
  EXPECT_NE(complaint(folder_ / "old.onnx", true), "");
  EXPECT_EQ(bytes_of(folder_ / "old.onnx"), "old");
}

TEST_F(QuantizeModel, LeavesNothingBehindWhenInterrupted) {
  Interrupter interrupter;
  QuantizeOptions options = sample_options("tensorrt", "out.onnx");
  options.run.reporter = &interrupter;
  EXPECT_EQ(quantize_code(options), ErrorCode::Interrupted);
  EXPECT_EQ(files(), 0U);
}

TEST_F(QuantizeModel, FixesRangesThatTheUserGives) {
  QuantizeOptions options = sample_options("tensorrt", "out.onnx");
  options.override_file = folder_ / "ranges.json";
  std::ofstream(options.override_file) << R"({"image": {"amax": 12.7}})";
  const QuantizeReport report = quantize_model(options);
  for (const auto& value : report.values) {
    if (value.name != "image") continue;
    EXPECT_FLOAT_EQ(static_cast<float>(value.scale), 0.1F);
  }
  std::ofstream(options.override_file) << R"({"no such value": {"amax": 1}})";
  options.output = folder_ / "other.onnx";
  EXPECT_EQ(quantize_code(options), ErrorCode::InvalidOption);
}

TEST_F(QuantizeModel, MeasuresTheErrorThoughTheFirstSampleIsUnreadable) {
  QuantizeOptions options = sample_options("tensorrt", "out.onnx");
  const fs::path images = folder_ / "images";
  fs::copy(options.data.sources.at(0), images);
  const auto hash_of = [](const fs::path& image) { return hash_of_name(image.filename().string()); };
  std::vector<fs::path> all(fs::directory_iterator(images), fs::directory_iterator{});
  std::ofstream(*std::ranges::min_element(all, {}, hash_of), std::ios::trunc) << "";
  options.data.sources = {images.string()};
  options.data.limit.reset();  // beyond a limit there are others
  options.run.skip_bad_data = true;
  const QuantizeReport report = quantize_model(options);
  EXPECT_EQ(report.skipped_samples, 1U);
  EXPECT_GE(report.error.value().samples, 3U) << "four were asked for; samples at the ends of ranges come with them";
}

TEST_F(QuantizeModel, QuantizesAModelThatEndsInAnOperatorOfAnEngine) {
  write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 19, "com.acme" : 1]>
g (float[1,2,8,8] x) => (float[N] kept)
<float[2,2,3,3] w = {1, -2, 3, -4, 5, -6, 7, -8, 9, 1, -2, 3, -4, 5, -6, 7, -8, 9,
                     2, -2, 3, -4, 5, -6, 7, -8, 9, 3, -2, 3, -4, 5, -6, 7, -8, 9}>
{ c = Conv <pads = [1, 1, 1, 1]> (x, w)  r = Relu (c)  kept = com.acme.Suppress (r) })"),
              folder_ / "model.onnx");
  QuantizeOptions options;
  options.model = folder_ / "model.onnx";
  options.data.sources = {"random:normal,n=4"};
  options.output = folder_ / "quantized.onnx";
  options.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
  const QuantizeReport report = quantize_model(options);
  EXPECT_GT(report.plan.coverage.int8_layers, 0);
  ASSERT_TRUE(report.error.has_value());
  ASSERT_EQ(report.error->outputs.size(), 1U);
  EXPECT_EQ(report.error->outputs[0].name, "r");  // the last value that can be measured
  const Model written = read_model(options.output);
  EXPECT_NE(written.graph().find_value("kept"), kNoValue);
}

const char* const kConvBn = R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y)
<float[2,2,1,1] w = {1, 2, 3, 4}, float[2] s = {2, 3}, float[2] b = {0.5, -0.5}, float[2] m = {1, 2}, float[2] v = {4, 9}>
{ c = Conv (x, w)  y = BatchNormalization (c, s, b, m, v) })";

TEST(PrepareModel, KeepsTheOutputsOfAFoldedModel) {
  const Model before = parse_model_text(kConvBn);
  Model after = before.clone();
  EXPECT_EQ(prepare_model(after, find_target("tensorrt")).folded_batchnorms, 1U);
  EXPECT_EQ(after.graph().nodes().size(), 1U);
  Tensor x(DataType::Float32, {1, 2, 4, 4});
  float next = -2;
  for (float& value : x.mutable_data<float>()) value = next += 0.3F;
  check_same_outputs(outputs_of(before, std::span(&x, 1)), after, std::span(&x, 1), "folding");
}

TEST(PrepareModel, NoticesAChangedModel) {
  const Model before = parse_model_text(kConvBn);
  Model after = before.clone();
  GraphPatch patch;
  patch.reason = "damage";
  patch.replace_constants = {{"s", Tensor::from<float>({2}, {2, 3.01F})}};
  apply_patch(after, patch);
  Tensor x(DataType::Float32, {1, 2, 4, 4});
  for (float& value : x.mutable_data<float>()) value = 1;
  EXPECT_THROW(check_same_outputs(outputs_of(before, std::span(&x, 1)), after, std::span(&x, 1), "damage"), Error);
}

}  // namespace
}  // namespace detent
