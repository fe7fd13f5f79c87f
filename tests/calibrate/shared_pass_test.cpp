// One pass over the samples for several plans: the same measurements as alone, and no sample runs twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/shared_pass.h"
#include "model/model.h"
#include "run/memory_source.h"

namespace detent {
namespace {

Model chain(const std::string& first) {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float[1,2] x) => (float[1,2] y) <float[2] c = {3, 4}> { r = " +
      first + " (x) s = Add (r, c) y = Sigmoid (s) }");
}

Tensor row_of(float a, float b) {
  const std::vector<float> values{a, b};
  return Tensor::from<float>(Shape{1, 2}, std::span<const float>(values));
}

/// Counts the passes.
class CountedPasses final : public Reporter {
 public:
  void begin(std::string_view task, size_t) override { count += task == "calibrating" ? 1 : 0; }
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view) override {}
  size_t count = 0;
};

using Names = std::vector<std::string>;

class SharedPassTest : public ::testing::Test {
 protected:
  SharedPassTest() { settings_.reporter = &passes_; }

  [[nodiscard]] static std::vector<ValueId> ids(const Model& model, const Names& names) {
    std::vector<ValueId> found;
    for (const std::string& name : names) found.push_back(*model.graph().find_value(name));
    return found;
  }
  void announce(const Model& model, const Names& names) { pass_.announce(model, ids(model, names)); }
  [[nodiscard]] Calibration shared(const Model& model, const Names& names) {
    return pass_.calibrate(model, ids(model, names), source_, settings_);
  }

  const MemorySource source_{{row_of(-1, 2), row_of(3, 4), row_of(5, -6)}};
  CountedPasses passes_;
  RunSettings settings_;
  SharedPass pass_;
};

TEST_F(SharedPassTest, MeasuresTheAnnouncedValuesOfAllPlansInOnePass) {
  const Model model = chain("Relu");
  announce(model, {"x", "r"});
  announce(model, {"r", "s"});
  const Calibration first = shared(model, {"x", "r"}), second = shared(model, {"r", "s"});
  EXPECT_EQ(passes_.count, 1U);
  EXPECT_EQ(first.histograms.size(), 2U);
  EXPECT_EQ(second.histograms.size(), 2U);
  EXPECT_EQ(second.samples, 3U);
}

TEST_F(SharedPassTest, ReturnsWhatAPassOfThePlanAloneMeasures) {
  const Model model = chain("Relu");
  announce(model, {"x", "r", "c"});
  announce(model, {"s"});
  for (const Names& names : {Names{"x", "r", "c"}, Names{"s"}}) {
    const Calibration alone = calibrate(model.graph(), ids(model, names), source_, {});
    const Calibration together = shared(model, names);
    EXPECT_EQ(together.sample_names, alone.sample_names);
    EXPECT_EQ(together.identities.size(), alone.identities.size());
    ASSERT_EQ(together.histograms.size(), alone.histograms.size());
    for (const auto& [value, histogram] : alone.histograms) {
      EXPECT_EQ(together.histograms.at(value).count(), histogram.count());
      EXPECT_EQ(together.histograms.at(value).min(), histogram.min());
      EXPECT_EQ(together.histograms.at(value).max(), histogram.max());
    }
    ASSERT_EQ(together.extremes.size(), alone.extremes.size());  // not of the constant
    for (const auto& [value, extremes] : alone.extremes) EXPECT_EQ(together.extremes.at(value).size(), extremes.size());
  }
}

TEST_F(SharedPassTest, RunsTheSamplesAgainForAValueThatWasNotAnnounced) {
  const Model model = chain("Relu");
  announce(model, {"x"});
  static_cast<void>(shared(model, {"x"}));
  EXPECT_EQ(shared(model, {"x", "s"}).histograms.size(), 2U);
  EXPECT_EQ(passes_.count, 2U);
  static_cast<void>(shared(model, {"s"}));
  EXPECT_EQ(passes_.count, 2U);
}

TEST_F(SharedPassTest, KeepsModelsApartThatComputeOtherValues) {
  const Model one = chain("Relu"), other = chain("Neg");
  announce(one, {"r"});
  announce(other, {"r"});
  EXPECT_EQ(shared(one, {"r"}).histograms.begin()->second.min(), 0);
  EXPECT_EQ(shared(other, {"r"}).histograms.begin()->second.min(), -5);
  EXPECT_EQ(passes_.count, 2U);
}

}  // namespace
}  // namespace detent
