// Samples that run together (samples_together) are measured as if they ran one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "calibrate/calibration.h"
#include "evaluate/float_network.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "run/memory_source.h"
#include "run/samples_together.h"

namespace detent {
namespace {

constexpr size_t kMany = 131;       // a few more than 16 batches of 8
constexpr size_t kApart = 64;       // threads: too many for so few samples to run together
constexpr size_t kSpoiled = 8 + 3;  // a sample inside the second batch

Model gated_convolution() {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
      g (float[N, 16, 1, 1] x) => (float[N, 16, 1, 1] y) <float[1] w = {0}> {
        c = Conv (x, w)
        s = Sigmoid (c)
        y = Mul (c, s)
      })");
  GraphPatch patch;
  patch.reason = "weights of the test";
  patch.replace_constants.emplace_back("w", test::Numbers(3).tensor({16, 16, 1, 1}));
  apply_patch(model, patch);
  return model;
}

MemorySource samples(size_t spoiled = kMany) {
  test::Numbers numbers(5);
  std::vector<Tensor> all;
  for (size_t i = 0; i < kMany; ++i) all.push_back(numbers.tensor({1, 16, 1, 1}));
  if (spoiled < kMany) all[spoiled].mutable_data<float>()[2] = std::numeric_limits<float>::quiet_NaN();
  return MemorySource(std::move(all));
}

std::vector<ValueId> watched(const Model& model) {
  std::vector<ValueId> values;
  for (const char* name : {"x", "c", "y"}) values.push_back(*model.graph().find_value(name));
  return values;
}

TEST(JoinedSamples, AreMeasuredAsIfTheyRanOneByOne) {
  const Model model = gated_convolution();
  const MemorySource source = samples();
  const Schedule schedule(model.graph(), watched(model), {.exact_fusion = true});
  ASSERT_EQ(samples_together(schedule, source, 1), 8U);
  ASSERT_EQ(samples_together(schedule, source, kApart), 1U);
  const Calibration together = calibrate(model.graph(), watched(model), source, {.threads = 1});
  const Calibration apart = calibrate(model.graph(), watched(model), source, {.threads = kApart});
  EXPECT_EQ(together.samples, kMany);
  EXPECT_EQ(together.histograms, apart.histograms);
  EXPECT_EQ(together.extremes, apart.extremes);
  EXPECT_EQ(together.sample_names, apart.sample_names);
  EXPECT_EQ(together.identities, apart.identities);
}

/// Keeps its warnings.
class WarningsOfJoined final : public Reporter {
 public:
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view message) override { text += message; }
  std::string text;
};

TEST(JoinedSamples, NameTheOneThatHoldsNaN) {
  const Model model = gated_convolution();
  WarningsOfJoined warnings;
  const RunSettings settings{.threads = 1, .reporter = &warnings};
  static_cast<void>(calibrate(model.graph(), watched(model), samples(kSpoiled), settings));
  EXPECT_THAT(warnings.text, testing::HasSubstr("first in sample 'sample11'"));
}

}  // namespace
}  // namespace detent
