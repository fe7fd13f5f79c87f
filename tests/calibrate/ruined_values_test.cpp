#include "calibrate/ruined_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/model.h"
#include "place/make_plan.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;

/// A normalized value `l`, which two products read, and `p`, which no normalization wrote.
constexpr const char* kModel = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[4,16] x) => (float[4,16] y, float[4,16] z)
  <float[16] n = {1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}>
  {
    l = LayerNormalization (x, n, n)
    h = MatMul (l, w)
    p = Relu (h)
    y = MatMul (p, w)
    z = MatMul (l, w)
  })";

/// Even density from -1 to 1 in 8192 elements, and `towering` elements at 64: rounding to s costs s^2/12.
Histogram towering_histogram(int towering) {
  std::vector<float> values;
  for (int i = 0; i < 8192; ++i) values.push_back((static_cast<float>(i) - 4095.5F) / 4096);
  values.insert(values.end(), static_cast<size_t>(towering), 64.0F);
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

class RuinedReaders : public ::testing::Test {
 protected:
  RuinedReaders() : model_(parse_model_text(with_weights(kModel))) {
    plan_ = make_placement_plan(model_.graph(), find_target("tensorrt"), options_);
    for (const ValueId value : plan_.quantized_values()) calibration_.histograms[value] = towering_histogram(0);
  }

  void measure(const char* name, int towering) {
    calibration_.histograms[*model_.graph().find_value(name)] = towering_histogram(towering);
  }

  [[nodiscard]] std::map<std::string, std::string> readers(const RangeOverrides& overrides = {}) const {
    return ruined_readers(model_.graph(), plan_, options_, calibration_, overrides, RangeKind::Symmetric);
  }

 private:
  static std::string with_weights(std::string text) {
    std::string numbers;
    for (int i = 0; i < 256; ++i) numbers += i ? ",0.5" : "0.5";
    return text.replace(text.find("1}>"), 3, "1}, float[16,16] w = {" + numbers + "}>");
  }

 protected:
  PlacementRequest options_;
  Model model_;
  PlacementPlan plan_;
  Calibration calibration_;
};

TEST_F(RuinedReaders, AreNoneWhereValuesFillTheirRange) {
  EXPECT_TRUE(pairs_the_stream(model_.graph(), plan_, options_));
  EXPECT_THAT(readers(), IsEmpty());
}

TEST_F(RuinedReaders, AreAllThatReadANormalizedValueOfFewToweringElements) {
  // 82 elements at 64 hold 41 + 1/3 of the mean square, steps of 64/127 cost 0.0212: 32.9 dB. With 41 of them it is 30.
  measure("l", 82);
  EXPECT_THAT(readers(), IsEmpty());
  measure("l", 41);
  const auto found = readers();
  ASSERT_THAT(found, ElementsAre(Key("MatMul_1"), Key("MatMul_4")));
  const double mean_square = (41 * 4096.0 + 8192.0 / 3) / (8192 + 41);
  EXPECT_THAT(found.at("MatMul_1"), HasSubstr("'l', less than 32"));
  char reach[32];
  std::snprintf(reach, sizeof reach, "reaches %.1f times", 64 / std::sqrt(mean_square));
  EXPECT_THAT(found.at("MatMul_1"), HasSubstr(reach));
}

TEST_F(RuinedReaders, AreNotThoseOfValuesOutsideTheStream) {
  measure("p", 41);
  EXPECT_THAT(readers(), IsEmpty());
}

TEST_F(RuinedReaders, LeaveValuesAloneWhoseRangeTheUserGave) {
  measure("l", 41);
  EXPECT_THAT(readers({{"l", {nullptr, {-64, 64}}}}), IsEmpty());
}

TEST_F(RuinedReaders, SayNothingWithoutAHistogram) {
  calibration_.histograms.clear();
  EXPECT_THAT(readers(), IsEmpty());
}

}  // namespace
}  // namespace detent
