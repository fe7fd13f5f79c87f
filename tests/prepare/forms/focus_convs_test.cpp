// Convs of pixels that Slices take, as in YOLOX: one Conv with strides, the same outputs.
#include <gmock/gmock.h>

#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string((i * 29) % 17 - 8);
  return text;
}

/// The text of a network that tests change.
struct Focus {
  std::string parts = "a, b, c, d";  ///< that the Concat joins
  std::string conv = "<pads = [1, 2, 0, 1]>";
  std::string ends = "end1";
  std::string more;  ///< nodes
  std::string outputs;
};

/// A Concat of the pixels of an image of 8 x 12, in the order of YOLOX, and a Conv of 3 x 3.
std::string focus_of(const Focus& focus = {}) {
  return "(float[1,3,8,12] x) => (float[1,5,h,w] y" + focus.outputs + ") <float[5,12,3,3] k = {" + numbers(5 * 12 * 9) +
         "}, float[5] m = {1, 2, 3, 4, 5}, int64[1] zero1 = {0}, int64[1] one1 = {1}, int64[1] two1 = {2}, int64[1] "
         "three1 = "
         "{3}, int64[1] end1 = {9223372036854775807}, int64[1] eight1 = {8}, int64[1] short1 = {7}, int64[2] ends2 = "
         "{100, 12}, "
         "int64[2] axes2 = {-2, 3}, int64[2] steps2 = {2, 2}, int64[2] start2 = {1, 0}> {"
         "even = Slice (x, zero1, " +
         focus.ends +
         ", two1, two1)  a = Slice (even, zero1, end1, three1, two1)"
         "b = Slice (x, start2, ends2, axes2, steps2)  c = Slice (even, one1, end1, three1, two1)"
         "odd = Slice (x, one1, eight1, two1, two1)  d = Slice (odd, one1, end1, three1, two1)"
         "j = Concat <axis = 1> (" +
         focus.parts + ")  y = Conv " + focus.conv + " (j, k, m) " + focus.more + " }";
}

TEST(FocusConvs, PixelsOfAnImageAreOneConv) {
  EXPECT_THAT(for_rknn(focus_of(), {1, 3, 8, 12}), ElementsAre("Conv"));
  EXPECT_THAT(for_rknn(focus_of({.conv = "<strides = [2, 3]>"}), {1, 3, 8, 12}), ElementsAre("Conv"));
  EXPECT_THAT(for_rknn(focus_of({.parts = "d, b, a, c"}), {1, 3, 8, 12}), ElementsAre("Conv")) << "any order";
  EXPECT_THAT(for_rknn(focus_of(), {1, 3, 8, 12}, "qnn"), Contains("Concat")) << "another engine";
}

TEST(FocusConvs, WhatOthersReadStays) {
  EXPECT_THAT(for_rknn(focus_of({.more = "z = Relu (odd)", .outputs = ", float[1,3,4,12] z"}), {1, 3, 8, 12}),
              ElementsAre("Slice", "Relu", "Conv"));
  EXPECT_THAT(for_rknn(focus_of({.more = "z = Relu (j)", .outputs = ", float[1,12,4,6] z"}), {1, 3, 8, 12}),
              Contains("Concat"));
}

TEST(FocusConvs, OtherPixelsStay) {
  EXPECT_THAT(for_rknn(focus_of({.parts = "a, b, c, c"}), {1, 3, 8, 12}), Contains("Slice")) << "one place twice";
  EXPECT_THAT(for_rknn(focus_of({.ends = "short1"}), {1, 3, 8, 12}), Contains("Slice"))
      << "not shown to end at the edge";
  EXPECT_THAT(for_rknn(focus_of({.conv = "<strides = [4, 1]>"}), {1, 3, 8, 12}), Contains("Slice")) << "strides of 8";
  EXPECT_THAT(for_rknn(focus_of({.conv = "<dilations = [2, 1], pads = [1, 1, 1, 1]>"}), {1, 3, 8, 12}),
              Contains("Slice"));
}

}  // namespace
}  // namespace detent
