// Attention as Rockchip's compiler joins it in one operator: with a mask.
#include <gmock/gmock.h>

#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

std::vector<std::string> scores_for_rknn(const std::string& scores, const char* target = "rknn") {
  return for_rknn(
      "(float[1,2,3,4] x) => (float[1,2,3,4] y) <float scale = {0.5}, float[1,1,3,3] mask = {0, 0, 0, -9, 0, "
      "0, -9, -9, 0}, float[4,3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}> { q = Relu (x)  v = Neg (x)  "
      "k = Transpose <perm = [0,1,3,2]> (x)  " +
          scores + "  y = MatMul (p, v) }",
      {1, 2, 3, 4}, target);
}

TEST(MaskedScores, ScoresWithoutAMaskGetOneOfZeros) {
  EXPECT_THAT(scores_for_rknn("s = MatMul (q, k)  m = Mul (scale, s)  p = Softmax <axis = -1> (m)"),
              ElementsAre("Relu", "Neg", "Transpose", "MatMul", "Mul", "Add", "Softmax", "MatMul"));
  EXPECT_THAT(scores_for_rknn("s = MatMul (q, k)  p = Softmax <axis = 3> (s)"), Contains("Add"));
}

TEST(MaskedScores, OthersStay) {
  const auto as_it_is = Not(Contains("Add"));
  EXPECT_THAT(scores_for_rknn("s = MatMul (q, k)  m = Mul (scale, s)  p = Softmax <axis = -1> (m)", "qnn"), as_it_is);
  EXPECT_THAT(scores_for_rknn("s = MatMul (x, w)  p = Softmax <axis = -1> (s)"), as_it_is) << "a weight";
  EXPECT_THAT(scores_for_rknn("s = MatMul (q, k)  p = Softmax <axis = 2> (s)"), as_it_is) << "over another axis";
  EXPECT_THAT(scores_for_rknn("s = MatMul (q, k)  m = Add (s, mask)  p = Softmax <axis = -1> (m)"),
              ElementsAre("Relu", "Neg", "Transpose", "MatMul", "Add", "Softmax", "MatMul"));
}

}  // namespace
}  // namespace detent
