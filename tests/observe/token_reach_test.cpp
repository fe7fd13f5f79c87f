#include "observe/token_reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "detent/base/error.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "observe/calibration_table.h"
#include "observe/random_tables.h"
#include "observe/table_sum.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TokenReach token_reach_of(const std::vector<float>& sequence, size_t channels,
                          const std::vector<uint8_t>& counted = {}) {
  TokenReach reach;
  reach.add(sequence, channels, counted);
  return reach;
}

TEST(TokenReach, TellsTheFirstTokenFromTheOthers) {
  // Three tokens of two channels.
  const TokenReach reach = token_reach_of({-100, 2, 1, -3, 0.5F, 4}, 2);
  EXPECT_EQ(reach.sequences, 1U);
  EXPECT_EQ(reach.first, 100);
  EXPECT_EQ(reach.others, 4);
  EXPECT_THAT(reach.channels, ElementsAre(100, 4));
  const TokenReach turned = token_reach_of({1, -3, -100, 2, 0.5F, 4}, 2);
  EXPECT_EQ(turned.first, 3);
  EXPECT_EQ(turned.others, 100) << "the same tokens in another order";
}

TEST(TokenReach, QuantilesAreOfTheOtherTokensToAnEighth) {
  std::vector<float> sequence = {1e6F};
  for (int i = 1; i <= 200; ++i) sequence.push_back(static_cast<float>(i));
  const TokenReach reach = token_reach_of(sequence, 1);
  for (const double share : {0.25, 0.5, 0.99, 1.0})
    EXPECT_NEAR(reach.token_quantile(share), 200 * share, 200 * share / 8) << share;
  EXPECT_LE(reach.token_quantile(1), 200);
  EXPECT_EQ(token_reach_of({5}, 1).token_quantile(0.5), 0) << "no other tokens";
  EXPECT_EQ(token_reach_of({5, 0, 0}, 1).token_quantile(0.5), 0);
}

TEST(TokenReach, LeavesPaddingAndWhatIsNotFiniteOut) {
  // Padding in front: the first token that counts is the first.
  const TokenReach padded = token_reach_of({9, 9, 1, 2, 3, 4, 7, 7}, 2, {0, 0, 1, 1, 1, 1, 0, 0});
  EXPECT_EQ(padded, token_reach_of({1, 2, 3, 4}, 2));
  EXPECT_NE(padded, token_reach_of({9, 9, 1, 2, 3, 4}, 2));
  const TokenReach odd = token_reach_of({1, NAN, std::numeric_limits<float>::infinity(), -2}, 2);
  EXPECT_EQ(odd.first, 1);
  EXPECT_EQ(odd.others, 2);
  EXPECT_THAT(odd.channels, ElementsAre(1, 2));
  EXPECT_EQ(token_reach_of({}, 3), TokenReach{});
  EXPECT_EQ(token_reach_of({1, 2}, 2, {0, 0}).sequences, 0U);
}

TEST(TokenReach, IsTheSameInAnyOrder) {
  std::mt19937 bits(1);
  std::vector<std::vector<float>> samples;
  for (size_t length : {3U, 7U, 1U, 5U, 7U}) {
    samples.emplace_back(4 * length);
    for (float& x : samples.back()) x = static_cast<float>(static_cast<int32_t>(bits())) * 0x1p-40F;
  }
  TokenReach forward, halves, other_half;
  for (const auto& sample : samples) forward.add(sample, 4);
  for (size_t i = samples.size(); i-- > 0;) (i % 2 == 0 ? halves : other_half).add(samples[i], 4);
  other_half.include(halves);
  EXPECT_EQ(forward, other_half);
  EXPECT_NE(forward, halves);
}

TEST(ValuesWithTokens, AreReadByProductsWithAMatrixAndByNormalizations) {
  const Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1,3,2] x, float[1,2,2] k, float[1,4,3,3] i) => (float[1,3,2] n, float[1,3,2] a, float[1,3,2] m,
       float[1,4,3,3] r)
    <float[2] s = {1,1}, float[2,2] w = {1,0,0,1}>
    { n = LayerNormalization (x, s, s)  h = Relu (n)  a = MatMul (h, k)  t = Neg (a)  m = MatMul (t, w)  r = Relu (i) })");
  const Graph& graph = model.graph();
  std::vector<ValueId> all;
  for (const Value& value : graph.values()) all.push_back(value.id);
  std::vector<std::string> names;
  for (const ValueId value : values_with_tokens(graph, all)) names.push_back(graph.value(value).name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("x", "t"));
  EXPECT_THAT(values_with_tokens(graph, {}), IsEmpty());
}

TEST(TokenReachObserver, TakesTensorsOfRankThree) {
  const std::vector<ValueId> watched = {ValueId{1}, ValueId{2}};
  TokenReachObserver observer(watched);
  observer.observe(ValueId{1}, Tensor::from<float>({2, 2, 1}, {5, 1, 7, 2}), {});
  observer.observe(ValueId{2}, Tensor::from<float>({2, 2}, {5, 1, 7, 2}), {});
  observer.observe(ValueId{3}, Tensor::from<float>({2, 2, 1}, {5, 1, 7, 2}), {});
  ASSERT_EQ(observer.reaches().size(), 1U);
  EXPECT_EQ(observer.reaches().at(ValueId{1}).sequences, 2U);
  EXPECT_EQ(observer.reaches().at(ValueId{1}).first, 7);
  EXPECT_EQ(observer.reaches().at(ValueId{1}).others, 2);
}

/// Makes samples of a made-up data set with tokens of "conv".
CalibrationTable table_with_tokens(size_t first, size_t count) {
  CalibrationTable table = table_of_samples(first, count);
  table.tokens = {{"conv", {}}, {"never", {}}};
  for (size_t sample = first; sample < first + count; ++sample) {
    std::mt19937 bits(static_cast<unsigned>(sample));
    std::vector<float> numbers(3 * (2 + sample % 5));
    for (float& x : numbers) x = static_cast<float>(static_cast<int32_t>(bits())) * 0x1p-40F;
    table.tokens["conv"].add(numbers, 3);
  }
  return table;
}

TEST(TokenReachObserver, FollowsTheAxisOfTheSamples) {
  const std::vector<ValueId> watched{ValueId{3}};
  const auto first_token = [&](const SampleAxis& where) {
    TokenReachObserver observer(watched);
    observer.begin_batch(2);
    // [tokens, sequences, channels]: tokens 1 and 5 of the first sequence, 2 and 6 of the second.
    observer.observe(ValueId{3}, Tensor::from<float>({2, 2, 1}, {1, 2, 5, 6}), {}, where);
    return observer.reaches().at(ValueId{3}).first;
  };
  EXPECT_EQ(first_token({SampleAxis::Kind::Counts, 1, 0}), 2);
  EXPECT_EQ(first_token({}), 5) << "[sequences, tokens, channels]";
}

TEST(TableTokens, ComeBackAsTheyWereWritten) {
  const CalibrationTable table = table_with_tokens(0, 3), plain = table_of_samples(0, 3);
  EXPECT_EQ(table_from_bytes(table_to_bytes(table)), table);
  const size_t format = 2 + std::string("detent calibration table").size() + 1;
  EXPECT_EQ(table_to_bytes(table).at(format), 6);
  EXPECT_EQ(table_to_bytes(plain).at(format), 4) << "without tokens older programs read the table";
  EXPECT_TRUE(table_from_bytes(table_to_bytes(plain)).tokens.empty());
}

TEST(TableTokens, OfAllPartsAreThoseOfASingleRun) {
  std::vector<size_t> order = {0, 1, 2};
  const std::string whole = table_to_bytes(table_with_tokens(0, 9));
  do {
    CalibrationTable total = table_with_tokens(3 * order[0], 3);
    for (size_t i = 1; i < 3; ++i) merge_into(total, table_with_tokens(3 * order[i], 3));
    EXPECT_EQ(table_to_bytes(total), whole);
  } while (std::ranges::next_permutation(order).found);
}

TEST(TableTokens, GoWhereATableOfAnOlderVersionComesIn) {
  CalibrationTable total = table_with_tokens(0, 3), old = table_of_samples(3, 3);
  merge_into(total, old);
  EXPECT_TRUE(total.tokens.empty());
  merge_into(old, table_with_tokens(0, 3));
  EXPECT_EQ(table_to_bytes(old), table_to_bytes(total));
}

TEST(TableTokens, ThatNoNumbersHaveAreRefused) {
  const auto damaged = [](auto change) {
    CalibrationTable table = table_with_tokens(0, 3);
    change(table.tokens["conv"]);
    return error_of<Error>([&] { static_cast<void>(table_from_bytes(table_to_bytes(table))); }).code();
  };
  EXPECT_EQ(damaged([](TokenReach& reach) { reach.first = NAN; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](TokenReach& reach) { reach.others = -1; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](TokenReach& reach) { reach.channels[1] = INFINITY; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](TokenReach& reach) { reach.channels.clear(); }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](TokenReach& reach) { reach.counts[TokenReach::kBuckets] = 1; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](TokenReach& reach) { reach.counts.clear(); }), ErrorCode::InvalidData);
}

}  // namespace
}  // namespace detent
