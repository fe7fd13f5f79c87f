// INT8 attention by measurement (R20): who gets it, what the plan says, and what keeps it away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "detent/detent.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using testing::HasSubstr;

/// A block of attention with 2 heads of 16 over so many tokens between two products. `huge_channel`: the first channel
/// of each head is 300 times as large in Q, and nothing in K. 8 bits of Q then leave little of the others. Otherwise
/// scores are small, so that their errors move little.
std::string attention_over(int tokens, bool huge_channel) {
  std::string weight, last;
  for (int i = 0; i < 32 * 96; ++i) {
    const int channel = i % 96;
    const bool first = huge_channel && channel < 64 && channel % 16 == 0;
    const double factor = first ? (channel < 32 ? 300 : 1e-6) : huge_channel || channel >= 64 ? 1 : 0.1;
    weight += (i ? "," : "") + std::to_string(factor * ((i * 37 % 101) - 50) / 150.0);
  }
  for (int i = 0; i < 32 * 32; ++i) last += (i ? "," : "") + std::to_string(((i * 53 % 97) - 48) / 100.0);
  const std::string t = std::to_string(tokens), shape = "{1," + t + ",2,16}";
  return R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,)" +
         t + R"(,32] x) => (float[1,)" + t + R"(,32] y)
<float[32,96] w = {)" +
         weight + "}, float[32,32] l = {" + last + R"(}, float c = {0.25}, int64[4] heads = )" + shape +
         R"(, int64[3] whole = {1,)" + t + R"(,32}> {
  all = MatMul (x, w)
  a, b, d = Split <axis = -1> (all)
  ah = Reshape (a, heads) bh = Reshape (b, heads) dh = Reshape (d, heads)
  q = Transpose <perm = [0,2,1,3]> (ah) k = Transpose <perm = [0,2,3,1]> (bh) v = Transpose <perm = [0,2,1,3]> (dh)
  s = MatMul (q, k) m = Mul (s, c) p = Softmax (m) o = MatMul (p, v)
  ot = Transpose <perm = [0,2,1,3]> (o) z = Reshape (ot, whole) y = MatMul (z, l) })";
}

PlanReport::Attention decided(const std::string& model, const std::string& target = "tensorrt",
                              PlacementOptions::Attention attention = PlacementOptions::Attention::Auto,
                              Accuracy accuracy = Accuracy::Balanced) {
  const TemporaryFolder folder;
  write_model(parse_model_text(model), folder / "model.onnx");
  QuantizeOptions options;
  options.model = folder / "model.onnx";
  options.data.sources = {"x=random:normal,n=16"};
  options.target = target;
  options.placement.attention = attention;
  options.accuracy = accuracy;
  options.output = folder / "out.onnx";
  const QuantizeReport report = quantize_model(options);
  EXPECT_EQ(report.plan.attention.size(), 1U);
  return report.plan.attention.at(0);
}

TEST(Int8Attention, IsTakenWhereItIsFasterAndCostsLittle) {
  const PlanReport::Attention taken = decided(attention_over(64, false));
  EXPECT_EQ(taken.runs, Runs::Int8);
  EXPECT_THAT(taken.reason, HasSubstr("one INT8 kernel"));
  EXPECT_THAT(taken.reason, HasSubstr("on 16 samples"));
}

TEST(Int8Attention, StaysFloatWhereItCostsMoreThanADecibel) {
  const PlanReport::Attention kept = decided(attention_over(64, true));
  EXPECT_EQ(kept.runs, Runs::Float);
  EXPECT_THAT(kept.reason, HasSubstr("INT8 attention: mean SQNR"));
  EXPECT_EQ(decided(attention_over(64, true), "tensorrt", PlacementOptions::Attention::Int8).runs, Runs::Int8)
      << "the user decides";
}

TEST(Int8Attention, StaysFloatForFewTokensWithoutAMeasurementAndByOption) {
  EXPECT_EQ(decided(attention_over(63, false)).runs, Runs::Float) << "windows lose by INT8";
  EXPECT_EQ(decided(attention_over(64, false), "tensorrt", PlacementOptions::Attention::Float).runs, Runs::Float);
  EXPECT_EQ(decided(attention_over(64, false), "tensorrt", PlacementOptions::Attention::Auto, Accuracy::Fast).runs,
            Runs::Float);
  EXPECT_EQ(decided(attention_over(64, false), "tensorrt-rtx").runs, Runs::Float) << "never measured there";
}

}  // namespace
}  // namespace detent
