#include "evaluate/compare_tensors.h"

#include <gtest/gtest.h>

#include <limits>

namespace detent {
namespace {

Tensor floats(std::initializer_list<float> values) {
  return Tensor::from<float>({static_cast<int64_t>(values.size())}, values);
}

TEST(CompareTensors, AllowsTheToleranceAndNotMore) {
  // Allowed at 100 of a largest 100: 1e-5 * 100 + 1e-3 * 100 = 0.101.
  EXPECT_TRUE(compare_tensors(floats({1, 100}), floats({1, 100.1F}), {}).same);
  const TensorComparison bad = compare_tensors(floats({1, 100}), floats({1, 100.2F}), {});
  EXPECT_FALSE(bad.same);
  EXPECT_NE(bad.difference.find("1 of 2 elements differ, the first at 1"), std::string::npos) << bad.difference;
}

TEST(CompareTensors, MatchesNanWithNanAndInfinitiesWithTheirLike) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(compare_tensors(floats({nan, inf, -inf}), floats({nan, inf, -inf}), {}).same);
  EXPECT_FALSE(compare_tensors(floats({nan}), floats({0}), {}).same);
  EXPECT_FALSE(compare_tensors(floats({inf}), floats({-inf}), {}).same);
  EXPECT_FALSE(compare_tensors(floats({0}), floats({nan}), {}).same);
}

TEST(CompareTensors, WantsIntegersExactly) {
  EXPECT_TRUE(compare_tensors(Tensor::from<int64_t>({2}, {1, 2}), Tensor::from<int64_t>({2}, {1, 2}), {}).same);
  EXPECT_FALSE(compare_tensors(Tensor::from<int64_t>({2}, {1, 2}), Tensor::from<int64_t>({2}, {1, 3}), {}).same);
}

TEST(CompareTensors, GoesThroughSequences) {
  const Tensor list = Tensor::sequence({floats({1}), floats({2, 3})});
  EXPECT_TRUE(compare_tensors(list, list.clone(), {}).same);
  const TensorComparison bad = compare_tensors(list, Tensor::sequence({floats({1}), floats({2, 4})}), {});
  EXPECT_FALSE(bad.same);
  EXPECT_NE(bad.difference.find("tensor 1 of the sequence: 1 of 2 elements differ"), std::string::npos)
      << bad.difference;
  EXPECT_FALSE(compare_tensors(list, Tensor::sequence({floats({1})}), {}).same);
  EXPECT_FALSE(compare_tensors(list, floats({1, 2}), {}).same);
}

TEST(CompareTensors, TellsAnAbsentOptional) {
  EXPECT_TRUE(compare_tensors(Tensor(), Tensor(), {}).same);
  EXPECT_FALSE(compare_tensors(Tensor(), floats({1}), {}).same);
  EXPECT_FALSE(compare_tensors(floats({1}), Tensor(), {}).same);
}

TEST(CompareTensors, WantsTypeAndShape) {
  EXPECT_FALSE(compare_tensors(floats({1}), Tensor::from<int64_t>({1}, {1}), {}).same);
  EXPECT_FALSE(compare_tensors(floats({1, 2}), Tensor::from<float>({2, 1}, {1, 2}), {}).same);
}

}  // namespace
}  // namespace detent
