// Tests calibrators on a trained MobileNet with dead channels, and entropy without its guards.
#include "pipeline/dead_channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "calibrators/reference_mode.h"
#include "calibrators/signed_bins.h"
#include "datasets/base/npy_file.h"
#include "detent/detent.h"
#include "model/temporary_folder.h"
#include "observe/calibration_table.h"
#include "shared_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

// Eight in each block: depthwise layers whose channels are no multiple of 8 stay float (R10).
/// All alike, within what the other channels reach.
const std::vector<float> kAlike(8, .45F);
const std::vector<float> kMixed = {.45F, .45F, .45F, .45F, .2F, .8F, 1.3F, 1.3F};
/// Two end at the Clip, where the other channels of most blocks reach only 1.5 to 5.
const std::vector<float> kBeyond = {.45F, .45F, .45F, .45F, 1.3F, 1.3F, 9, 9};

class SharedDeadChannelsNightly : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(original_)) GTEST_SKIP() << "missing " << original_;
  }
  /// Path of the network with these dead channels; their values in `values_`.
  fs::path widened(const std::vector<float>& constants) {
    const DeadChannels made = with_dead_channels(read_model(original_), constants);
    values_ = made.values;
    write_model(made.model, folder_ / "dead.onnx", {.overwrite = true});
    return folder_ / "dead.onnx";
  }
  [[nodiscard]] DataOptions images(const std::string& part) const {
    DataOptions data;
    data.sources = {(images_ / part).string()};
    data.preprocess = "imagenet";
    return data;
  }
  /// Every `stride`-th evaluation image; they are sorted by class.
  [[nodiscard]] CompareCalibratorsReport compare(const fs::path& model, std::vector<std::string> calibrators,
                                                 size_t stride, const fs::path& overrides = {}) const {
    CompareOptions options;
    options.model = model;
    options.data = images("calib");
    options.evaluation.data = images("eval");
    options.evaluation.data.shard_count = stride;
    options.evaluation.labels = images_ / "eval.csv";
    options.calibrators = std::move(calibrators);
    options.override_file = overrides;
    return compare_calibrators(options);
  }
  [[nodiscard]] Tensor outputs(const fs::path& model, const std::string& name) const {
    RunOptions options{.model = model, .output_folder = folder_ / name, .data = images("eval")};
    options.data.limit = 8;
    return NpyFile(run_model(options).written.at(0)).read();
  }
  /// Histograms of the values behind the depthwise layers.
  [[nodiscard]] std::map<std::string, Histogram> histograms(const fs::path& model) const {
    CalibrateOptions options;
    options.model = model;
    options.output = folder_ / "dead.dct";
    options.data = images("calib");
    options.targets = {"tensorrt"};
    static_cast<void>(calibrate_model(options));
    CalibrationTable table = read_table(options.output);
    std::map<std::string, Histogram> found;
    for (const std::string& value : values_) found[value] = std::move(table.values.at(value).histogram);
    return found;
  }

  const fs::path original_ = shared_folder() / "models/imagenet_mobilenetv2/model_opset12.onnx";
  const fs::path images_ = shared_folder() / "images/imagenet";
  TemporaryFolder folder_;
  std::vector<std::string> values_;
};

/// Returns the largest |x| by the plain rule of entropy: no atoms, no floor.
float plain_entropy(const Histogram& histogram) {
  const std::vector<double> bins = magnitude_bins(histogram).counts;
  const std::vector<int64_t> counts(bins.begin(), bins.end());
  std::vector<float> edges;
  for (size_t i = 0; i <= counts.size(); ++i)
    edges.push_back(static_cast<float>(static_cast<double>(i) * histogram.bin_width()));
  return reference_entropy_amax({counts, edges}, 128, 1);
}

float entropy(const Histogram& histogram) {
  return make_calibrator("entropy")->choose(histogram, RangeKind::Symmetric).max;
}

double sqnr_db(const Tensor& reference, const Tensor& other) {
  const auto a = reference.data<float>(), b = other.data<float>();
  double signal = 0, noise = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    signal += static_cast<double>(a[i]) * a[i];
    noise += std::pow(static_cast<double>(a[i]) - b[i], 2);
  }
  return 10 * std::log10(signal / noise);
}

TEST_F(SharedDeadChannelsNightly, ChangeNothingInFloat) {
  const Tensor before = outputs(original_, "before");
  const Tensor after = outputs(widened(kMixed), "after");
  EXPECT_THAT(values_, SizeIs(17));  // inverted residuals
  // A sum of 968 terms at most is off by sqrt(968) 2^-24 of its size where roundings are independent, 53 layers by
  // sqrt(53) times that: 97 dB. A seventh of the accuracy, 17 dB, is for layers whose terms cancel.
  EXPECT_GT(sqnr_db(before, after), 80);
}

TEST_F(SharedDeadChannelsNightly, PutAnAtomBeforeWhichThePlainDivergenceEnds) {
  const std::map<std::string, Histogram> measured = histograms(widened(kAlike));
  const Histogram& first = measured.at(values_.front());
  EXPECT_EQ(first.max_abs(), 6);
  // The next edge of a bin.
  EXPECT_NEAR(plain_entropy(first), .45F, first.bin_width());
  EXPECT_GT(entropy(first), 5);
  for (const auto& [value, histogram] : measured) EXPECT_GE(entropy(histogram), plain_entropy(histogram)) << value;
}

const std::vector<std::string> kAll = {"max",          "percentile:99.9", "percentile:99.99", "entropy",     "mse",
                                       "samplemax:99", "samplemax:95",    "samplemax:90",     "samplemax:50"};

TEST_F(SharedDeadChannelsNightly, CostNoCalibratorAnything) {
  const CompareCalibratorsReport plain = compare(original_, kAll, 4);
  for (const auto& constants : {kAlike, kMixed}) {
    const CompareCalibratorsReport report = compare(widened(constants), kAll, 4);
    ASSERT_EQ(report.evaluation_samples, 100U);
    for (size_t v = 0; v < kAll.size(); ++v) {
      const auto &with = report.variants[v].metrics, &without = plain.variants[v].metrics;
      // The constants are rounded too, and ranges move by a bin: some tenths of a dB. The plain divergence loses more
      // than 10 dB.
      EXPECT_GT(with.at("sqnr_db"), without.at("sqnr_db") - 1) << kAll[v];
      // One image is a point. Two variants that agree on nine of ten images and are as good have scores that differ by
      // 3.2 points in one standard deviation, 10 is three of them; without its guards entropy has no image right.
      EXPECT_GT(with.at("top1"), without.at("top1") - .10) << kAll[v];
    }
  }
}

TEST_F(SharedDeadChannelsNightly, ThePlainDivergenceFallsOver) {
  const fs::path model = widened(kAlike);
  std::string ranges;
  for (const auto& [value, histogram] : histograms(model))
    ranges += (ranges.empty() ? "{" : ", ") + ("\"" + value + "\": {\"amax\": ") +
              std::to_string(plain_entropy(histogram)) + "}";
  const CompareCalibratorsReport report = compare(model, {"entropy"}, 4, folder_.write("plain.json", ranges + "}"));
  EXPECT_LT(report.variants[0].metrics.at("top1"), report.fp32.at("top1") - .3);
  EXPECT_LT(report.variants[0].metrics.at("sqnr_db"), 5) << "others have 12 to 16";
}

TEST_F(SharedDeadChannelsNightly, BeyondAllOthersAreEvenedOut) {
  QuantizeOptions options;
  options.model = widened(kBeyond);
  options.output = folder_ / "int8.onnx";
  options.data = images("calib");
  options.data.limit = 16;
  options.calibrator = "max";
  options.equalize.equalize = "auto";
  const QuantizeReport report = quantize_model(options);
  ASSERT_TRUE(report.equalized && report.equalized->acceptance);
  // A range of 6 where the others reach 1.5 to 5 wastes up to two bits, 12 dB; at least half a bit must come back.
  EXPECT_GT(*report.equalized->acceptance->after_db, *report.equalized->acceptance->before_db + 3);
}

/// All 400 images, one is a quarter of a point: the table of calibrators/README.md. Four minutes on two cores.
TEST_F(SharedDeadChannelsNightly, DISABLED_TableOfAllImages) {
  const auto print = [&](const std::string& name, const std::vector<float>& constants) {
    const CompareCalibratorsReport report = compare(widened(constants), kAll, 1);
    std::printf("| %s |", name.c_str());
    for (const auto& variant : report.variants)
      std::printf(" %.2f %%, %.1f dB |", 100 * variant.metrics.at("top1"), variant.metrics.at("sqnr_db"));
    std::printf("\n");
  };
  std::printf("| dead channels |");
  for (const std::string& calibrator : kAll) std::printf(" %s |", calibrator.c_str());
  std::printf("\n");
  print("none", {});
  print("8 of .45", kAlike);
  print("4 of .45, .2, .8, 2 of 1.3", kMixed);
  print("4 of .45, 2 of 1.3, 2 of 6", kBeyond);
}

}  // namespace
}  // namespace detent
