#include "ops/merged_pad.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

bool merges(const std::string& nodes, const std::string& outputs = "float[1,1,H,W] y") {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 18]>
    g (float[1,1,4,4] x) => ()" + outputs +
                                       R"()
    <float[1,1,3,3] w = {1,2,3,4,5,6,7,8,9}, int64[8] around = {0,0,1,1,0,0,1,1}, int64[8] cut = {0,0,0,0,0,0,-1,-1},
     int64[8] channels = {0,1,0,0,0,0,0,0}, int64[4] spatial = {1,1,1,1}, int64[2] axes = {2,3}, float zero = {0},
     float one = {1}> { )" + nodes + " }");
  return merged_pad(model.graph(), *model.graph().producer(*model.graph().find_value("y"))) != nullptr;
}

// The forms of onnxruntime 1.30, tried one by one.
TEST(MergedPad, AddsZerosOnSpatialAxes) {
  EXPECT_TRUE(merges("p = Pad (x, around, zero)  y = Conv (p, w)"));
  EXPECT_TRUE(merges("p = Pad (x, around)  y = Conv (p, w)"));
  EXPECT_TRUE(merges("p = Pad (x, around, zero)  y = Conv <pads = [1,1,1,1]> (p, w)"));
}

TEST(MergedPad, OtherFormsStayNodes) {
  EXPECT_FALSE(merges("p = Pad (x, around, one)  y = Conv (p, w)"));
  EXPECT_FALSE(merges("p = Pad <mode = \"reflect\"> (x, around)  y = Conv (p, w)"));
  EXPECT_FALSE(merges("p = Pad (x, cut, zero)  y = Conv (p, w)"));
  EXPECT_FALSE(merges("p = Pad (x, channels, zero)  y = Conv (p, w)"));
  EXPECT_FALSE(merges("p = Pad (x, spatial, zero, axes)  y = Conv (p, w)"));
  EXPECT_FALSE(merges("p = Pad (x, around, zero)  y = Conv <auto_pad = \"SAME_UPPER\"> (p, w)"));
  EXPECT_FALSE(merges("p = Pad (x, around, zero)  y = Conv (p, w)", "float[1,1,H,W] y, float[1,1,6,6] p"));
  EXPECT_FALSE(merges("y = Conv (x, w)"));
}

}  // namespace
}  // namespace detent
