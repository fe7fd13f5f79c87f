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

}  // namespace
}  // namespace detent
