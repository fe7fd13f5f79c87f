// Tests which outputs have rows in free order: those that a TopK selects, and no others.
#include "detections/free_rows.h"

#include <gtest/gtest.h>

#include "exec/find_shapes.h"
#include "model/model.h"

namespace detent {
namespace {

/// Returns the free rows of a network with an input x of 1 x 8 x 3 and scores s of 1 x 8, as "output:axis" words; a
/// bar between those of different TopKs.
std::string rows_of(const std::string& outputs, const std::string& nodes) {
  const Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,8,3] x) => (" + outputs +
                                       R"() <int64[1] k = {4}, int64[1] two = {2}, int64[1] flat = {-1},
                                       int64[3] boxes = {1, 4, 3}, int64[4] some = {3, 1, 4, 0}>
    { s = ReduceMax <axes = [2], keepdims = 0> (x) )" +
                                       nodes + "}");
  const std::vector<Tensor> inputs{Tensor(DataType::Float32, {1, 8, 3})};
  std::string words;
  for (const FreeRows& rows : find_free_rows(model.graph(), find_shapes(model.graph(), inputs))) {
    if (!words.empty()) words += " | ";
    for (const auto& [output, axis] : rows.outputs)
      words += (words.empty() || words.back() == ' ' ? "" : " ") + output + ":" + std::to_string(axis);
  }
  return words;
}

TEST(FindFreeRows, FindsRowsThatATopKSelects) {
  EXPECT_EQ(
      rows_of("float[1,4,3] y", "v, i = TopK <axis = 1> (s, k) f = Reshape (i, flat) y = Gather <axis = 1> (x, f)"),
      "y:1");
  EXPECT_EQ(rows_of("float[1,3,4] y",
                    R"(v, i = TopK <axis = 1> (s, k) u = Unsqueeze (i, two) e = Expand (u, boxes)
                    g = GatherElements <axis = 1> (x, e) r = Relu (g) y = Transpose <perm = [0, 2, 1]> (r))"),
            "y:2");
}

TEST(FindFreeRows, KeepsTheOutputsOfOneTopKTogether) {
  const std::string gathered =
      "v, i = TopK <axis = 1> (s, k) f = Reshape (i, flat) b = Gather <axis = 1> (x, f) score = Sigmoid (v) ";
  EXPECT_EQ(rows_of("float[1,4,3] b, float[1,4] score, int64[1,4] i", gathered), "b:1 score:1 i:1");
  EXPECT_EQ(rows_of("float[1,4,4] y", gathered + "c = Unsqueeze (score, two) y = Concat <axis = 2> (b, c)"), "y:1");
}

TEST(FindFreeRows, FindsNoneInOutputsOfFixedOrder) {
  EXPECT_EQ(rows_of("float[1,8,3] y", "y = Relu (x)"), "");
  EXPECT_EQ(rows_of("float[1,4,3] y", "y = Gather <axis = 1> (x, some)"), "") << "constant indices";
  EXPECT_EQ(rows_of("float[1,4] v, int64[1,4] i", "v, i = TopK <axis = 1> (s, k)"), "") << "nothing is gathered";
  EXPECT_EQ(rows_of("float[1,4,3] y, int64[1,4] i", "v, i = TopK <axis = 1> (s, k) y = Gather <axis = 1> (x, some)"),
            "")
      << "gathered by other indices";
  EXPECT_EQ(rows_of("float[1,4,3] y", R"(v, i = TopK <axis = 1> (s, k) f = Reshape (i, flat)
                                        g = Gather <axis = 1> (x, f) h = Gather <axis = 1> (x, some) y = Add (g, h))"),
            "")
      << "rows of fixed order take part";
}

}  // namespace
}  // namespace detent
