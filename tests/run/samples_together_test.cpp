#include "run/samples_together.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "evaluate/float_network.h"
#include "exec/runnable_part.h"
#include "model/model.h"
#include "run/memory_source.h"
#include "run/run_over.h"

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

MemorySource images(int64_t side, size_t count) {
  test::Numbers numbers(5);
  std::vector<Tensor> samples;
  for (size_t i = 0; i < count; ++i) samples.push_back(numbers.tensor({1, 16, side, side}));
  return MemorySource(std::move(samples));
}

size_t together(const Model& model, int64_t side, size_t count = 16) {
  return samples_together(model.graph(), values_named(model.graph(), {"y"}), images(side, count));
}

size_t together_in_a_pass(const Model& model, int64_t side, size_t count, size_t threads) {
  const Schedule schedule(model.graph(), values_named(model.graph(), {"y"}));
  return samples_together(schedule, images(side, count), threads);
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

TEST(SamplesTogether, AreOneWhereANodeMayMixOthersThanTheFirst) {
  const std::string of_sums = "i = Flatten (c)\n  s = ReduceMean <axes = [1], keepdims = 0> (i)\n  ";
  ASSERT_EQ(together(convolution("N", 4, of_sums + "y = Sub (c, c)"), 4), 4U) << "the same numbers, without a branch";
  const std::string branch =
      "n = Constant <value = bool {1}> ()\n  y = If (n) <then_branch = t () => (float[N, 16, 4, 4] a) "
      "{ a = Identity (c) }, else_branch = e () => (float[N, 16, 4, 4] b) { b = Neg (c) }>";
  EXPECT_EQ(together(convolution("N", 4, branch), 4), 1U);
  const std::string codes = "q, s, z = DynamicQuantizeLinear (c)\n  y = DequantizeLinear (q, s, z)";
  EXPECT_EQ(together(convolution("N", 4, codes), 4), 1U);
  EXPECT_EQ(together(convolution("N", 4, "u = DynamicQuantizeLSTM (c)\n  y = Relu (c)"), 4), 1U);
  EXPECT_EQ(together(convolution("N", 4, "u = Neg (c)\n  y = Relu (c)"), 4), 4U);
}

TEST(SamplesTogether, AreJoinedInAPassThatIsLongEnough) {
  const Model model = convolution("N", 4);  // 4 together
  EXPECT_EQ(together_in_a_pass(model, 4, 64, 1), 4U);
  EXPECT_EQ(together_in_a_pass(model, 4, 63, 1), 1U) << "finding out takes longer";
  EXPECT_EQ(together_in_a_pass(model, 4, 64, 5), 1U) << "threads would wait for the last ones";
  EXPECT_EQ(together_in_a_pass(model, 4, 80, 5), 4U);
}

/// The samples of each call of a pass over `count` samples, 4 together, as text: "0-3 4 5 6". fails  a sample that
/// cannot run.
std::string calls_of_pass(size_t count, std::optional<size_t> fails = std::nullopt) {
  const MemorySource source = images(1, count);
  const RunSettings settings{.threads = 1};
  std::string calls;
  const auto run = [&](size_t, std::vector<Sample>&& batch, size_t) {
    const std::string last = batch.size() > 1 ? "-" + std::to_string(batch.back().index) : "";
    calls += (calls.empty() ? "" : " ") + std::to_string(batch.front().index) + last;
    for (const Sample& sample : batch)
      if (sample.index == fails) throw Error(ErrorCode::InvalidData, "cannot run");
    return batch.size();
  };
  size_t taken = 0;
  const SampleCounts counts = run_over<size_t>({.source = source, .settings = settings, .together = 4}, run,
                                               [&](size_t samples) { taken += samples; });
  EXPECT_EQ(counts.samples, count);
  EXPECT_EQ(taken, count);
  return calls;
}

TEST(SamplesTogether, RunOneByOneWhereFewerAreLeft) {
  EXPECT_EQ(calls_of_pass(8), "0-3 4-7");
  EXPECT_EQ(calls_of_pass(7), "0-3 4 5 6");
  EXPECT_EQ(calls_of_pass(1), "0");
}

TEST(SamplesTogether, NameTheOneThatFails) {
  try {
    static_cast<void>(calls_of_pass(8, 6));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "sample 'sample6': cannot run");
  }
}

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
