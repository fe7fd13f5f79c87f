#include "tune/refine/round_by_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluate/float_network.h"

namespace detent {
namespace {

const CodeGrid kInt8(CodeRange{-128, 127});

/// Random weights within `most` steps; the steps of all rows are 0.5.
WeightRows random_rows(int64_t rows, int64_t columns, float most) {
  WeightRows result{rows, columns};
  result.scales.assign(static_cast<size_t>(rows * columns), 0.5F);
  const Tensor weights = test::Numbers(5).tensor({rows, columns}, 0.5F * most);
  result.weights.assign(weights.data<float>().begin(), weights.data<float>().end());
  return result;
}

std::vector<float> nearest(const WeightRows& rows, const CodeGrid& grid = kInt8) {
  std::vector<float> codes;
  for (size_t i = 0; i < rows.weights.size(); ++i) codes.push_back(grid.nearest(rows.weights[i], rows.scales[i]));
  return codes;
}

/// Error of a row's output in steps, for an input that is 1 everywhere.
double summed_error(const WeightRows& rows, const std::vector<float>& codes, int64_t row) {
  double error = 0;
  for (int64_t c = 0; c < rows.columns; ++c) {
    const auto i = static_cast<size_t>(row * rows.columns + c);
    error += static_cast<double>(rows.weights[i] / rows.scales[i] - codes[i]);
  }
  return error;
}

SecondMoments moments_of(int64_t columns, const std::vector<float>& vectors) {
  SecondMoments moments(columns);
  moments.add(vectors);
  return moments;
}

TEST(SecondMoments, AreTheSumsOfProducts) {
  const SecondMoments moments = moments_of(2, {1, 2, 3, -4});  // (1, 2) and (3, -4)
  EXPECT_EQ(moments.lower()[0], 10);                           // 1 + 9
  EXPECT_EQ(moments.lower()[1], -10);                          // 2 - 12
  EXPECT_EQ(moments.lower()[3], 20);                           // 4 + 16
}

// Two inputs that are always equal: only the sum of the weights counts, 0.8 steps.
TEST(RoundByMoments, GivesOneColumnWhatTheRoundingOfItsTwinCost) {
  const WeightRows twins{1, 2, {0.4F, 0.4F}, {1, 1}};
  const auto codes = round_by_moments(twins, kInt8, moments_of(2, {1, 1}));
  EXPECT_EQ(codes[0] + codes[1], 1);                      // error 0.2
  EXPECT_EQ(nearest(twins), (std::vector<float>{0, 0}));  // error 0.8
  const auto opposed = round_by_moments(twins, kInt8, moments_of(2, {1, -1}));
  EXPECT_EQ(opposed[0], opposed[1]);  // their difference counts, 0
}

// With equal inputs the output's error is that of the last column, at most half a step, and the part that the damping
// d = 0.01 keeps back: errors are passed to m columns as 1 part in (m + d), so at most 0.5 (1/1 + ... + 1/15) = 1.66
// steps are left before the last one, which takes 1/(1 + d) of them.
TEST(RoundByMoments, LeavesHalfAStepWhereAllInputsAreAlike) {
  const WeightRows rows = random_rows(200, 16, 100);
  const auto codes = round_by_moments(rows, kInt8, moments_of(16, std::vector<float>(16, 1)));
  double squares = 0, squares_of_nearest = 0;
  for (int64_t r = 0; r < rows.rows; ++r) {
    const double error = summed_error(rows, codes, r);
    EXPECT_LE(std::abs(error), 0.5 + 0.01 * 1.66 + 1e-4) << r;  // floats of 100 steps
    squares += error * error;
    squares_of_nearest += std::pow(summed_error(rows, nearest(rows), r), 2);
  }
  // Nearest codes add up 16 errors of variance 1/12. 3200 of them: within 40 %, four deviations of a mean of 200
  // squares.
  EXPECT_NEAR(squares_of_nearest / 200, 16.0 / 12, 0.4 * 16 / 12);
  EXPECT_NEAR(squares / 200, 1.0 / 12, 0.4 / 12);
}

TEST(RoundByMoments, IsNearestToTheBitWhereInputsAreNotCorrelated) {
  const WeightRows rows = random_rows(20, 4, 100);
  EXPECT_EQ(round_by_moments(rows, kInt8, moments_of(4, {3, 0, 0, 0, 0, 7, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2})),
            nearest(rows));
  EXPECT_NE(round_by_moments(rows, kInt8, moments_of(4, {3, 7, 1, 2})), nearest(rows));
}

TEST(RoundByMoments, LeavesAColumnThatNoInputReachedAtNearest) {
  const WeightRows rows = random_rows(20, 3, 100);
  const auto codes = round_by_moments(rows, kInt8, moments_of(3, {1, 0, 1, 2, 0, 2}));
  for (size_t i = 1; i < codes.size(); i += 3) EXPECT_EQ(codes[i], nearest(rows)[i]);
  EXPECT_NE(codes, nearest(rows));
}

TEST(RoundByMoments, KeepsTheWeightThatMakesTheScale) {
  // With its twin, the largest weight would best be 126.
  const WeightRows rows{1, 2, {127.4F, -0.4F}, {1, 1}};
  EXPECT_EQ(round_by_moments(rows, kInt8, moments_of(2, {1, 1}))[0], 127);
  // One step below the end of the grid a weight moves.
  const WeightRows inner{1, 2, {125.6F, 0.2F}, {1, 1}};  // nearest: 126 and 0; their sum is 125.8
  const WeightRows pushed{1, 3, {126.4F, 126.4F, 126.4F}, {1, 1, 1}};
  const auto codes = round_by_moments(pushed, kInt8, moments_of(3, {1, 1, 1}));
  EXPECT_EQ(codes[0] + codes[1] + codes[2], 379);  // of 379.2
  EXPECT_EQ(round_by_moments(inner, kInt8, moments_of(2, {1, 1})), (std::vector<float>{126, 0}));
}

TEST(RoundByMoments, StaysOnTheGridOfFewerLevels) {
  const WeightRows rows = random_rows(50, 8, 9);
  for (const float code : round_by_moments(rows, CodeGrid({-8, 7}), moments_of(8, std::vector<float>(8, 1))))
    EXPECT_LE(std::abs(code), 7);
}

// Between 16 and 32 the numbers of FP8 lie 2 apart, between 256 and 448 they lie 32 apart.
TEST(RoundByMoments, StaysOnTheGridOfFloats) {
  const CodeGrid grid = CodeGrid::e4m3();
  const WeightRows twins{1, 2, {16.8F, 16.8F}, {1, 1}};  // nearest 16 and 16; the sum is 33.6
  const auto numbers = round_by_moments(twins, grid, moments_of(2, {1, 1}));
  EXPECT_EQ(numbers[0] + numbers[1], 34);
  EXPECT_EQ(nearest(twins, grid), (std::vector<float>{16, 16}));

  const WeightRows rows = random_rows(50, 8, 440);
  const auto all = round_by_moments(rows, grid, moments_of(8, std::vector<float>(8, 1)));
  EXPECT_NE(all, nearest(rows, grid));
  for (const float number : all) EXPECT_EQ(number, grid.nearest(number, 1));
  // The largest keeps its number, and the number written for it is rounded to it.
  const WeightRows largest{1, 2, {448, -30.9F}, {1, 1}};
  EXPECT_EQ(round_by_moments(largest, grid, moments_of(2, {1, 1}))[0], 448);
  EXPECT_EQ(grid.nearest(grid.short_of_largest(), 1), 448);
  EXPECT_LT(grid.short_of_largest(), 448);
  EXPECT_EQ(kInt8.nearest(kInt8.short_of_largest(), 1), 127);
}

TEST(RoundByMoments, IsNearestWithoutInputs) {
  const WeightRows rows = random_rows(5, 4, 100);
  EXPECT_EQ(round_by_moments(rows, kInt8, SecondMoments(4)), nearest(rows));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(round_by_moments(rows, kInt8, moments_of(4, {1, nan, 1, 1})), nearest(rows));
  EXPECT_TRUE(round_by_moments({}, kInt8, SecondMoments(0)).empty());
}

/// Rows of 16 columns in pairs, whose scales leave some pairs unsafe.
WeightRows paired_rows() {
  WeightRows rows = random_rows(6, 16, 127);
  rows.any_code = true;
  for (int64_t c = 0; c < 16; ++c) rows.neighbours.push_back(c ^ 1);
  return rows;
}

int unsafe_pairs(const std::vector<float>& codes) {
  int found = 0;
  for (size_t i = 0; i < codes.size(); i += 2)
    found += std::abs(codes[i] + codes[i + 1]) > 128 && codes[i] * codes[i + 1] > 0;
  return found;
}

TEST(RowRounding, LeavesNoPairUnsafe) {
  const WeightRows rows = paired_rows();
  ASSERT_GT(unsafe_pairs(nearest(rows, kInt8.symmetric())), 0);
  const Tensor inputs = test::Numbers(8).tensor({64, 16}, 1);
  const SecondMoments moments = moments_of(16, {inputs.data<float>().begin(), inputs.data<float>().end()});
  EXPECT_EQ(unsafe_pairs(RowRounding(moments).round(rows, kInt8.symmetric()).numbers), 0);
  EXPECT_EQ(unsafe_pairs(RowRounding(SecondMoments(16)).round(rows, kInt8.symmetric()).numbers), 0)
      << "nothing to round by";
  WeightRows alone = rows;
  alone.neighbours.clear();
  EXPECT_GT(unsafe_pairs(RowRounding(moments).round(alone, kInt8.symmetric()).numbers), 0);
}

TEST(RowRounding, CostsAreWhatTheErrorsCostAtTheOutput) {
  WeightRows rows = random_rows(3, 4, 20);
  rows.any_code = true;
  const std::vector<float> inputs{3, 1, 0, 2, 1, 7, 2, 1, 0, 1, 5, 1, 2, 0, 1, 4};
  const RoundedRows rounded = RowRounding(moments_of(4, inputs)).round(rows, kInt8);
  double mean = 0;  // of the diagonal, of which 1 % is added to it
  for (const float x : inputs) mean += static_cast<double>(x * x) / 4;
  for (int64_t r = 0; r < 3; ++r) {
    double cost = 0;
    std::vector<double> errors;
    for (size_t c = 0; c < 4; ++c) {
      const size_t i = static_cast<size_t>(r) * 4 + c;
      errors.push_back(static_cast<double>(rows.weights[i]) - static_cast<double>(rounded.numbers[i] * rows.scales[i]));
      cost += 0.01 * mean * errors.back() * errors.back();
    }
    for (size_t n = 0; n < 4; ++n) {
      double output = 0;
      for (size_t c = 0; c < 4; ++c) output += errors[c] * static_cast<double>(inputs[n * 4 + c]);
      cost += output * output;
    }
    EXPECT_NEAR(rounded.costs[static_cast<size_t>(r)], cost, 1e-3 * cost) << "floats of the Cholesky factor";
  }
}

}  // namespace
}  // namespace detent
