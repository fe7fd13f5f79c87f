#include "run/samples_together.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evaluate/float_network.h"
#include "exec/runnable_part.h"
#include "model/model.h"
#include "run/memory_source.h"

namespace detent {
namespace {

/// x -> Conv 1x1 of 16 channels -> y over side * side positions, and the nodes `more` behind it.
Model convolution(const std::string& batch, int64_t side, const std::string& more = "y = Identity (c)") {
  const std::string shape = "float[" + batch + ", 16, " + std::to_string(side) + ", " + std::to_string(side) + "]";
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]>\ng (" + shape + " x) => (" + shape +
                                 " y)\n<float[1] w = {0}>\n{\n  c = Conv (x, w)\n  " + more + "\n}");
  GraphPatch patch;
  patch.reason = "weights of the test";
  patch.replace_constants.emplace_back("w", test::Numbers(3).tensor({16, 16, 1, 1}));
  apply_patch(model, patch);
  return model;
}

size_t together(const Model& model, int64_t side, size_t count = 16) {
  test::Numbers numbers(5);
  std::vector<Tensor> samples;
  for (size_t i = 0; i < count; ++i) samples.push_back(numbers.tensor({1, 16, side, side}));
  const MemorySource source(std::move(samples));
  return samples_together(model.graph(), values_named(model.graph(), {"y"}), source);
}

TEST(SamplesTogether, AreAsManyAsGiveAWeight64Positions) {
  EXPECT_EQ(together(convolution("N", 8), 8), 1U);
  EXPECT_EQ(together(convolution("N", 4), 4), 4U);
  EXPECT_EQ(together(convolution("N", 1), 1), 8U) << "eight at most";
}

TEST(SamplesTogether, AreOneWhereTheModelFixesItsBatch) { EXPECT_EQ(together(convolution("1", 4), 4), 1U); }

TEST(SamplesTogether, AreOneWhereTheModelMixesThem) {
  EXPECT_EQ(together(convolution("N", 4, "m = ReduceMean <axes = [0]> (c)\n  y = Sub (c, m)"), 4), 1U);
}

TEST(SamplesTogether, AreOneWhereThereAreFew) { EXPECT_EQ(together(convolution("N", 4), 4, 15), 1U); }

TEST(SamplesTogether, AreToldApartWhereTheFirstAxisCountsThem) {
  constexpr ValueId kRow{0}, kTwoRows{1}, kColumn{2}, kNumber{3}, kWider{4}, kNotRun{5};
  const ValueShapes one{
      {kRow, Shape{1, 4}}, {kTwoRows, Shape{2, 4}}, {kColumn, Shape{4, 1}}, {kNumber, Shape{}}, {kWider, Shape{1, 4}}};
  const ValueShapes eight{
      {kRow, Shape{8, 4}}, {kTwoRows, Shape{16, 4}}, {kColumn, Shape{4, 8}}, {kNumber, Shape{}}, {kWider, Shape{8, 5}}};
  const auto cut = [&](std::vector<ValueId> values) { return are_cut_by_sample(values, one, eight, 8); };
  EXPECT_TRUE(cut({kRow}));
  EXPECT_TRUE(cut({})) << "there is nothing to tell apart";
  EXPECT_FALSE(cut({kRow, kTwoRows}));
  EXPECT_FALSE(cut({kColumn})) << "samples on another axis";
  EXPECT_FALSE(cut({kNumber}));
  EXPECT_FALSE(cut({kWider})) << "another size beside the samples";
  EXPECT_FALSE(cut({kNotRun}));
}

TEST(SamplesTogether, KeepTheirNamesAndOrder) {
  const MemorySource source(test::residual_samples(4));
  const SamplesTogether joined(source, 4);
  EXPECT_EQ(joined.batch(), 4U);
  EXPECT_EQ(joined.size(), 4U);
  EXPECT_EQ(joined.sample_name(2), source.sample_name(2));
  EXPECT_EQ(SamplesTogether(source, 1).batch(), source.batch());
}

}  // namespace
}  // namespace detent
