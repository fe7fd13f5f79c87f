// Calibrating on some samples of a source: they keep the indices and names of the whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "calibrate/calibration.h"
#include "detent/base/error.h"
#include "model/model.h"
#include "run/memory_source.h"
#include "run/sample_subset.h"

namespace detent {
namespace {

Model relu() {
  return parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
      g (float[1,2] x) => (float[1,2] y) { y = Relu (x) })");
}

Tensor row(float a, float b) {
  const std::vector<float> values{a, b};
  return Tensor::from<float>(Shape{1, 2}, std::span<const float>(values));
}

/// Keeps its warnings.
class Warnings final : public Reporter {
 public:
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view message) override { text += message; }
  std::string text;
};

TEST(CalibrationOfASubset, NamesTheSamplesOfTheWhole) {
  const Model model = relu();
  const MemorySource whole({row(1, 2), row(3, 4), row(5, 6), row(7, 8)});
  const SampleSubset last(whole, {2, 3});
  const ValueId x = *model.graph().find_value("x");
  const Calibration calibration = calibrate(model.graph(), std::vector{x}, last, {});
  EXPECT_THAT(calibration.sample_names, testing::UnorderedElementsAre("sample2", "sample3"));
  EXPECT_EQ(calibration.histograms.at(x).max(), 8);
  EXPECT_EQ(calibration.histograms.at(x).min(), 5);
}

TEST(CalibrationOfASubset, NamesTheSampleOfTheWholeThatHoldsNaN) {
  const Model model = relu();
  const MemorySource whole({row(1, 2), row(3, 4), row(5, 6), row(std::numeric_limits<float>::quiet_NaN(), 8)});
  const SampleSubset last(whole, {2, 3});
  Warnings warnings;
  RunSettings settings;
  settings.reporter = &warnings;
  static_cast<void>(calibrate(model.graph(), std::vector{*model.graph().find_value("x")}, last, settings));
  EXPECT_THAT(warnings.text, testing::HasSubstr("first in sample 'sample3'"));
}

TEST(CalibrationOfASubset, SaysNothingOfNaNWhereThereIsNone) {
  const Model model = relu();
  const MemorySource whole({row(1, 2), row(std::numeric_limits<float>::quiet_NaN(), 4)});
  const SampleSubset first(whole, {0});
  Warnings warnings;
  RunSettings settings;
  settings.reporter = &warnings;
  static_cast<void>(calibrate(model.graph(), std::vector{*model.graph().find_value("x")}, first, settings));
  EXPECT_EQ(warnings.text, "");
}

}  // namespace
}  // namespace detent
