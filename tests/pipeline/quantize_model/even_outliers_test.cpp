// Tests that quantize and compare even out outlier channels by default.
#include <gtest/gtest.h>

#include <fstream>

#include "datasets/base/npy_format.h"
#include "detent/detent.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "tune/equalize/outlier_network.h"

namespace detent {
namespace {

class EvenOutliersByDefault : public ::testing::Test {
 protected:
  /// Writes a network with a channel `outlier` times as large as the others, and 24 samples.
  [[nodiscard]] QuantizeOptions options(float outlier) const {
    write_model(test::outlier_network(outlier), folder_ / "model.onnx");
    std::ofstream file(folder_ / "data.npy", std::ios::binary);
    const std::vector<Tensor> samples = test::rows(24);
    file << format_npy_header(DataType::Float32, {static_cast<int64_t>(samples.size()), 8, 16});
    for (const Tensor& sample : samples)
      file << std::string(reinterpret_cast<const char*>(sample.raw()), sample.byte_count());
    QuantizeOptions options;
    options.model = folder_ / "model.onnx";
    options.data.sources = {folder_ / "data.npy"};
    options.output = folder_ / "out.onnx";
    options.overwrite = true;
    return options;
  }

  TemporaryFolder folder_;
};

TEST_F(EvenOutliersByDefault, TheReportNamesThemAndTheOutputsGain) {
  QuantizeOptions given = options(64);
  const QuantizeReport evened = quantize_model(given);
  ASSERT_TRUE(evened.equalized);
  EXPECT_EQ(evened.equalized->requested, "outliers");
  EXPECT_TRUE(evened.equalized->kept);
  EXPECT_EQ(evened.provenance.options, "");
  given.equalize.equalize = "off";
  const QuantizeReport plain = quantize_model(given);
  EXPECT_FALSE(plain.equalized);
  EXPECT_GT(*evened.error->sqnr_db, *plain.error->sqnr_db + 6);
}

TEST_F(EvenOutliersByDefault, OtherNetworksAreNotTouched) { EXPECT_FALSE(quantize_model(options(1)).equalized); }

TEST_F(EvenOutliersByDefault, FastLeavesThem) {
  QuantizeOptions given = options(64);
  given.accuracy = Accuracy::Fast;
  EXPECT_FALSE(quantize_model(given).equalized);
}

TEST_F(EvenOutliersByDefault, ComparedRowsAreEvenedOutToo) {
  const QuantizeOptions like = options(64);
  CompareOptions given;
  given.model = like.model;
  given.data = given.evaluation.data = like.data;
  given.calibrators = {"mse"};
  const CompareCalibratorsReport report = compare_calibrators(given);
  ASSERT_TRUE(report.equalized);
  EXPECT_TRUE(report.equalized->kept);
}

}  // namespace
}  // namespace detent
