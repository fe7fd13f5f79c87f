// Convs behind a Concat that Rockchip's compiler would split: the same outputs.
#include <gmock/gmock.h>

#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::string concat_of(int outputs, const std::string& tail = "", const std::string& more = "") {
  std::string numbers;
  for (int i = 0; i < outputs * 16; ++i) numbers += (i ? ", " : "") + std::to_string((i * 29) % 17 - 8);
  const std::string m = std::to_string(outputs);
  return "(float[1,8,4,4] x) => (float[1," + m + ",4,4] y" + more + ") <float[" + m + ",16,1,1] w = {" + numbers +
         "}> { a = Relu (x)  b = Neg (x)  c = Concat <axis = 1> (a, b)  y = Conv (c, w) " + tail + "}";
}

TEST(ConvPerOperand, FewOutputsOfAConcatAreSums) {
  EXPECT_THAT(for_rknn(concat_of(7), {1, 8, 4, 4}), ElementsAre("Relu", "Neg", "Conv", "Conv", "Add"));
  EXPECT_THAT(for_rknn(concat_of(8), {1, 8, 4, 4}), Contains("Concat")) << "a sum costs as much";
  EXPECT_THAT(for_rknn(concat_of(7), {1, 8, 4, 4}, "qnn"), Contains("Concat"));
}

TEST(ConvPerOperand, ScalesOfAResizeTellItsChannels) {
  std::string numbers;
  for (int i = 0; i < 7 * 16; ++i) numbers += (i ? ", " : "") + std::to_string((i * 29) % 17 - 8);
  const std::string text = "(float[1,8,4,4] x) => (float[1,7,8,8] y) <float[7,16,1,1] w = {" + numbers +
                           "}, float[4] twice = {1, 1, 2, 2}> { a = Relu (x)  u = Resize (a, , twice)  "
                           "v = Neg (u)  c = Concat <axis = 1> (u, v)  y = Conv (c, w) }";
  EXPECT_THAT(for_rknn(text, {1, 8, 4, 4}), ElementsAre("Relu", "Resize", "Neg", "Conv", "Conv", "Add"));
}

TEST(ConvPerOperand, AConcatThatIsReadElsewhereStays) {
  EXPECT_THAT(for_rknn(concat_of(7, "z = Relu (c)", ", float[1,16,4,4] z"), {1, 8, 4, 4}), Contains("Concat"));
  EXPECT_THAT(for_rknn(concat_of(7, "", ", float[1,16,4,4] c"), {1, 8, 4, 4}), Contains("Concat"));
}

}  // namespace
}  // namespace detent
