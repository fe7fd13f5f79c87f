#include "tune/keep_nodes_float32.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "half/half_model.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Numbers of about 1 go through a sum with `offset` and the difference from it. Near 1000, FP16 has steps of 0.5.
Model through_a_large_sum(const std::string& offset) {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N, 4] x) => (float[N, 4] y) <float k = {" + offset +
      "}> { t = Tanh (x) large = Add (t, k) u = Sub (large, k) y = Neg (u) }");
}

std::vector<Tensor> node_samples() {
  std::vector<Tensor> list;
  for (int i = 1; i <= 6; ++i) {
    const float x = 0.173F * static_cast<float>(i);
    list.push_back(Tensor::from<float>({1, 4}, std::vector<float>{x, -x / 3, x * x, 1 - x}));
  }
  return list;
}

/// The nodes that a bound on the SQNR keeps in FP32, and the SQNR of the result, without pairs.
struct Found {
  ForcedFloat32 nodes;
  BoundJudge::Score before, after;

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& [name, why] : nodes) list.push_back(name);
    return list;
  }
};

Found nodes_within(const std::string& offset, double min_sqnr_db) {
  const Model model = through_a_large_sum(offset);
  const MemorySource source(node_samples());
  const RunSettings settings;
  const FloatFormat format = float_format(FloatType::Fp16);
  const ValueReaches reaches = measure_reaches(model.graph(), source, settings);
  AccuracyBound bound;
  bound.min_sqnr_db = min_sqnr_db;
  const BoundJudge judge(bound, {}, model, &source, settings);
  Found found{keep_nodes_float32({model, format, reaches, judge, settings}), {}, {}};
  const auto score = [&](const ForcedFloat32& nodes) {
    std::vector<Model> models;
    models.push_back(model.clone());
    static_cast<void>(make_half(models.front(), format, reaches, nodes));
    return judge.measure(models, "judging").front();
  };
  found.before = score({});
  found.after = score(found.nodes);
  return found;
}

TEST(KeepNodesFloat32, KeepsTheSumThatFp16CannotHoldAndItsDifference) {
  // Near 1.5, FP16 has steps of 1/1024, which leave 65 dB of the difference: enough for the rule `cancellation`.
  const Found found = nodes_within("1.5", 66);
  EXPECT_LT(found.before.score, 66);
  EXPECT_THAT(found.names(), ElementsAre("Add_1", "Sub_2"));
  EXPECT_GE(found.after.score, 66 + 3);
  const ForcedReason& why = found.nodes.at("Sub_2");
  EXPECT_LT(why.measured, 66);
  EXPECT_THAT(why.reason, HasSubstr("FP32 gains "));
  EXPECT_THAT(why.reason, HasSubstr("--min-sqnr 66"));
}

TEST(KeepNodesFloat32, KeepsNothingWhereTheSumIsSmall) {
  const Found found = nodes_within("1", 40);
  EXPECT_THAT(found.names(), IsEmpty());
  EXPECT_GE(found.before.score, 40 + 3);
}

TEST(KeepNodesFloat32, KeepsNothingWhereTheBoundIsLow) { EXPECT_THAT(nodes_within("1000", 5).names(), IsEmpty()); }

TEST(KeepNodesFloat32, KeepsAllWhereNothingLessDoes) {
  EXPECT_THAT(nodes_within("1", 200).names(), ElementsAre("Add_1", "Neg_3", "Sub_2", "Tanh_0"));
}

TEST(KeepNodesFloat32, LeavesInt8HalfOfWhatTheBoundAllows) {
  const Model model = through_a_large_sum("1");
  const MemorySource source(node_samples());
  const RunSettings settings;
  AccuracyBound sqnr;
  sqnr.min_sqnr_db = 40;
  const BoundJudge by_sqnr(sqnr, {}, model, &source, settings);
  EXPECT_TRUE(by_sqnr.leaves_room({0, 43.02, 43.02, {}}));
  EXPECT_FALSE(by_sqnr.leaves_room({0, 43.00, 43.00, {}}))
      << "it meets the bound, but takes more than half of the noise";
  AccuracyBound drop;
  drop.max_drop = 0.02;
  drop.evaluation.metric_command = "echo 1";
  drop.evaluation.data.sources = {"random:uniform,n=2"};
  const BoundJudge by_drop(drop, parse_samples(drop.evaluation.data), model, nullptr, settings);
  EXPECT_TRUE(by_drop.leaves_room({0.90, 0.89, 50, {}}));
  EXPECT_FALSE(by_drop.leaves_room({0.90, 0.885, 50, {}}));
}

}  // namespace
}  // namespace detent
