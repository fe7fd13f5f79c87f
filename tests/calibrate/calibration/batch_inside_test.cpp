// Samples of a fixed batch that do not lie on axis 0 of every value.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "exec/runnable_part.h"
#include "model/model.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Sample n is [1, 4] with n + 1 at each of its positions; at padding 1000.
class Steps final : public DataSource {
 public:
  explicit Steps(size_t padded) : padded_(padded) {}
  size_t size() const override { return 8; }
  std::string sample_name(size_t i) const override { return "s" + std::to_string(i); }
  size_t batch() const override { return 4; }
  Sample read(size_t i) const override {
    Sample sample{i, sample_name(i), {Tensor(DataType::Float32, {1, 4})}};
    const auto elements = sample.inputs[0].mutable_data<float>();
    for (size_t p = 0; p < 4; ++p) {
      const bool content = p + padded_ < 4;
      elements[p] = content ? static_cast<float>(i + 1) : 1000;
      sample.content.push_back(content ? 1 : 0);
    }
    return sample;
  }

 private:
  size_t padded_;
};

struct WarningTexts final : Reporter {
  std::vector<std::string> texts;
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view text) override { texts.emplace_back(text); }
};

struct Found {
  std::vector<float> largest;  // of y, by sample
  float max = 0;
  uint64_t count = 0;
  std::vector<std::string> warnings;
};

Found calibrated(const std::string& body, size_t padded = 0) {
  const Model model =
      parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g (float[4, 4] x) => (float[K] y) {" + body + "}");
  WarningTexts warnings;
  RunSettings settings;
  settings.reporter = &warnings;
  const std::vector<ValueId> y = values_named(model.graph(), {"y"});
  const Calibration calibration = calibrate(model.graph(), y, Steps(padded), settings);
  Found found{{}, calibration.histograms.at(y[0]).max(), calibration.histograms.at(y[0]).count(), warnings.texts};
  for (const Extremes& sample : calibration.extremes.at(y[0])) found.largest.push_back(sample.max);
  return found;
}

TEST(BatchInside, GivesEverySampleItsOwnExtremes) {
  for (const char* body : {"y = Relu (x)", "y = Transpose (x)"}) {
    const Found found = calibrated(body);
    EXPECT_THAT(found.largest, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8)) << body;
    EXPECT_THAT(found.warnings, IsEmpty()) << body;
  }
}

TEST(BatchInside, SaysWhereSamplesAreNotFound) {
  const Found found = calibrated("m = ReduceMin <axes = [0]> (x) y = Sub (x, m)");
  EXPECT_THAT(found.largest, ElementsAre(3, 3, 3, 3, 3, 3, 3, 3)) << "what the batch has is each sample's";
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_THAT(found.warnings[0], HasSubstr("'y'"));
  EXPECT_THAT(found.warnings[0], HasSubstr("mixes the 4 samples of a batch"));
}

TEST(BatchInside, LeavesPaddingOut) {
  for (const char* body : {"y = Relu (x)", "y = Transpose (x)"}) {
    const Found found = calibrated(body, 1);
    EXPECT_EQ(found.max, 8) << body;
    EXPECT_EQ(found.count, 24U) << body;
  }
  EXPECT_EQ(calibrated("m = ReduceMin <axes = [0]> (x) y = Sub (x, m)", 1).max, 3) << "samples are not found";
  EXPECT_EQ(calibrated("y = Transpose (x)", 0).count, 32U) << "no padding";
}

}  // namespace
}  // namespace detent
