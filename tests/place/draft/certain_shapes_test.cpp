#include "place/draft/certain_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"
#include "place/engines/target.h"

namespace detent {
namespace {

/// Returns the shape of t = Transpose(x) with x of 2 x 3 x 4.
std::optional<CertainShapes::Extents> behind_transpose(const std::string& perm) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2, 3, 4] x) => (float[A, B, C] t) "
      "{ t = Transpose <perm = [" +
      perm + "]> (x) }");
  const GraphFacts facts(model.graph(), target_list().front());
  return CertainShapes(facts).of(model.graph().find_value("t"));
}

TEST(CertainShapes, FollowAPermutation) {
  EXPECT_EQ(behind_transpose("2, 0, 1"), (CertainShapes::Extents{4, 2, 3}));
  EXPECT_EQ(behind_transpose("-1, 0, 1"), (CertainShapes::Extents{4, 2, 3}));
}

TEST(CertainShapes, DoNotFollowAnAxisThatIsNotThere) {
  const CertainShapes::Extents open{-1, -1, -1};
  for (const std::string perm : {"3, 0, 1", "-4, 0, 1", "-9223372036854775808, 0, 1"})
    EXPECT_EQ(behind_transpose(perm), open) << perm;
}

TEST(CertainShapes, KnowTheRankBehindATile) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2, 3] x, int64[2] n) => (float[A, B] y) "
      "{ t = Tile (x, n) y = Neg (t) }");
  const GraphFacts facts(model.graph(), target_list().front());
  EXPECT_EQ(CertainShapes(facts).of(*model.graph().find_value("t")), (CertainShapes::Extents{-1, -1}));
}

CertainShapes::Extents behind_resize(const std::string& node) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[N, 8, 5, 5] x, float[4] open) => (float[A, B, C, D] z) "
      "<float[4] scales = {1, 1, 2, 1.5}, float[4] empty_box = {0, 0, 1, 1}, float[4] none = {0, -1, 2, 2}, "
      "int64[4] sizes = {1, 8, 9, 9}> { y = " +
      node + " z = Relu (y) }");
  const GraphFacts facts(model.graph(), target_list().front());
  return CertainShapes(facts).of(*model.graph().find_value("y")).value_or(CertainShapes::Extents{});
}

TEST(CertainShapes, FollowTheScalesAndSizesOfAResize) {
  EXPECT_EQ(behind_resize("Resize (x, , scales)"), (CertainShapes::Extents{-1, 8, 10, 7}));
  EXPECT_EQ(behind_resize("Resize (x, , , sizes)"), (CertainShapes::Extents{1, 8, 9, 9}));
}

TEST(CertainShapes, LeaveOpenWhatAResizeTakesFromElsewhere) {
  const CertainShapes::Extents open{-1, -1, -1, -1};
  EXPECT_EQ(behind_resize("Resize (x, , open)"), open);
  EXPECT_EQ(behind_resize("Resize (x, , none)"), (CertainShapes::Extents{-1, -1, 10, 10}));
  EXPECT_EQ(behind_resize("Resize <keep_aspect_ratio_policy = \"not_larger\"> (x, , , sizes)"), open);
  EXPECT_EQ(behind_resize("Resize <coordinate_transformation_mode = \"tf_crop_and_resize\"> (x, empty_box, scales)"),
            open);
}

CertainShapes::Extents of_value(const std::string& inputs, const std::string& nodes) {
  const Model model =
      parse_model_text("<ir_version: 8, opset_import: [\"\" : 18]> g (" + inputs +
                       ") => (float[A, B] z) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, "
                       "int64[1] seven = {7}, int64[4] pads = {0, 1, 0, 2}, int64[2] flat = {0, -1}> { " +
                       nodes + " z = Relu (y) }");
  const GraphFacts facts(model.graph(), target_list().front());
  return CertainShapes(facts).of(*model.graph().find_value("y")).value_or(CertainShapes::Extents{});
}

TEST(CertainShapes, AddUpWhatAConcatJoins) {
  EXPECT_EQ(of_value("float[N, 3] a, float[N, 4] b", "y = Concat <axis = 1> (a, b)"), (CertainShapes::Extents{-1, 7}));
  EXPECT_EQ(of_value("float[N, 3] a, float[N, M] b", "y = Concat <axis = -1> (a, b)"),
            (CertainShapes::Extents{-1, -1}));
}

TEST(CertainShapes, CountWhatASliceTakes) {
  EXPECT_EQ(of_value("float[N, 7] a", "y = Slice (a, one, seven, one, two)"), (CertainShapes::Extents{-1, 3}));
  EXPECT_EQ(of_value("float[N, 7] a", "y = Slice (a, seven, one, one, one)"), (CertainShapes::Extents{-1, 0}));
  EXPECT_EQ(of_value("float[N, M] a", "y = Slice (a, one, seven, one, two)"), (CertainShapes::Extents{-1, -1}));
}

TEST(CertainShapes, GrowByPads) {
  EXPECT_EQ(of_value("float[N, 7] a", "y = Pad (a, pads)"), (CertainShapes::Extents{-1, 10}));
  EXPECT_EQ(of_value("float[N, 7] a, int64[4] p", "y = Pad (a, p)"), (CertainShapes::Extents{-1, -1}));
}

TEST(CertainShapes, CopyAnOpenBatch) {
  EXPECT_EQ(of_value("float[N, 3, 4] a", "y = Reshape (a, flat)"), (CertainShapes::Extents{-1, 12}));
}

}  // namespace
}  // namespace detent
