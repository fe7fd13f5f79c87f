// Tests that detectors are recognized by their graph, and that nothing else is called one.
#include "detections/graph_layout.h"

#include <gtest/gtest.h>

#include "exec/find_shapes.h"
#include "model/model.h"

namespace detent {
namespace {

std::string repeated(const std::string& number, int count) {
  std::string text = number;
  for (int i = 1; i < count; ++i) text += ", " + number;
  return text;
}

/// Returns the layout of a network with an input x of 1 x 1 x 32 x 32.
std::optional<DetectionLayout> layout_of(const std::string& outputs, const std::string& constants,
                                         const std::string& nodes) {
  const Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,1,32,32] x) => (" +
                                       outputs + ") <" + constants + "> {" + nodes + "}");
  const std::vector<Tensor> inputs{Tensor(DataType::Float32, {1, 1, 32, 32})};
  return find_detections(model.graph(), find_shapes(model.graph(), inputs));
}

// YOLOv8: two layers, their boxes decoded, joined as columns.
TEST(FindDetections, RecognizesBoxesAndScoresThatMeetInAConcat) {
  const auto found =
      layout_of("float[1,7,1024] y",
                "float[4,1,1,1] wb = {1, 1, 1, 1}, float[3,1,1,1] ws = {1, 1, 1}, float[1,1,1] stride = {8}, "
                "int64[3] b = {1, 4, 1024}, int64[3] s = {1, 3, 1024}",
                R"(c = Conv (x, wb) d = Reshape (c, b) e = Mul (d, stride)
                                  f = Conv (x, ws) g = Reshape (f, s) h = Sigmoid (g) y = Concat <axis = 1> (e, h))");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found,
            (DetectionLayout{.form = DetectionForm::CxcywhScores, .boxes = "y", .classes = 3, .suppressed = false}));
  EXPECT_EQ(describe(found), "output 'y': 4 box coordinates and 3 class scores on axis 1, not suppressed");
}

// The same file with pairs, also on a stored factor.
TEST(FindDetections, SeesThroughCodes) {
  const char* head = "float[1,7,1024] y";
  const char* constants =
      "float[4,1,1,1] wb = {1, 1, 1, 1}, float[3,1,1,1] ws = {1, 1, 1}, int8[1,1,1] stride = {8}, "
      "int64[3] b = {1, 4, 1024}, int64[3] s = {1, 3, 1024}, float one = {1}, int8 zero = {0}";
  const auto found =
      layout_of(head, constants,
                R"(c = Conv (x, wb) cq = QuantizeLinear (c, one, zero) cd = DequantizeLinear (cq, one, zero)
         d = Reshape (cd, b) factor = DequantizeLinear (stride, one, zero) e = Mul (d, factor)
         f = Conv (x, ws) g = Reshape (f, s) gq = QuantizeLinear (g, one, zero) gd = DequantizeLinear (gq, one, zero)
         h = Sigmoid (gd) hq = QuantizeLinear (h, one, zero) hd = DequantizeLinear (hq, one, zero)
         y = Concat <axis = 1> (e, hd))");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->form, DetectionForm::CxcywhScores);
  EXPECT_EQ(found->classes, 3);
}

// Activities and quaternions of a sequence: no input is an image.
TEST(FindDetections, TakesNoSequenceForADetector) {
  const auto layout_for = [](const std::string& input, const Shape& shape, const std::string& flat) {
    const Model model = parse_model_text(
        "<ir_version: 8, opset_import: [\"\" : 17]> g (" + input +
        " x) => (float[1,24,4] boxes, float[1,24,3] scores) <float[16,4] wb = {" + repeated("1", 64) +
        "}, float[16,3] ws = {" + repeated("1", 48) + "}, float two = {2}, int64[3] rows = {1, 24, 16}> { " + flat +
        " b = MatMul (h, wb) boxes = Mul (b, two) s = MatMul (h, ws) scores = Sigmoid (s) }");
    return find_detections(model.graph(), find_shapes(model.graph(), std::vector{Tensor(DataType::Float32, shape)}));
  };
  EXPECT_FALSE(layout_for("float[1,24,16]", {1, 24, 16}, "h = Identity (x)"));
  EXPECT_TRUE(layout_for("float[1,3,16,8]", {1, 3, 16, 8}, "h = Reshape (x, rows)")) << "the same behind an image";
}

// YOLO26: the same rows, of which TopK selects 10.
TEST(FindDetections, RecognizesRowsThatTopKSelects) {
  const auto found =
      layout_of("float[1,10,6] y",
                "float[4,1,1,1] wb = {1, 1, 1, 1}, float[1,1,1,1] ws = {1}, float[1,1,1] stride = {8}, int64[3] b = "
                "{1, 4, 1024}, "
                "int64[3] s = {1, 1, 1024}, int64[1] k = {10}, int64[1] two = {2}, int64[3] four = {1, 10, 4}, "
                "int64[2] parts = {4, 1}, int64 classes = {1}",
                R"(c = Conv (x, wb) d = Reshape (c, b) e = Mul (d, stride)
         f = Conv (x, ws) g = Reshape (f, s) h = Sigmoid (g) j = Concat <axis = 1> (e, h)
         t = Transpose <perm = [0, 2, 1]> (j) box, score = Split <axis = 2> (t, parts)
         m = ReduceMax <axes = [2], keepdims = 0> (score) v, i = TopK <axis = 1> (m, k)
         u = Unsqueeze (i, two) w = Expand (u, four) best = GatherElements <axis = 1> (box, w)
         vs = Unsqueeze (v, two) n = Mod (u, classes) label = Cast <to = 1> (n) y = Concat <axis = 2> (best, vs, label))");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (DetectionLayout{.form = DetectionForm::XyxyScoreClass, .boxes = "y", .axis = 2}));
}

// YOLOX: offsets from 16 + 4 + 1 cells of an input of 32 x 32, scores of object and class.
TEST(FindDetections, RecognizesCellsThatAreNotDecoded) {
  const std::string constants =
      "float[4,1,1,1] wb = {1, 1, 1, 1}, float[1,1,1,1] wo = {1}, float[2,1,1,1] ws = {1, 1}, int64[3] b = {1, 4, -1}, "
      "int64[3] o = {1, 1, -1}, int64[3] s = {1, 2, -1}, int64[1] zero = {0}, int64[1] rows = {ROWS}, int64[1] two = "
      "{2}";
  const std::string nodes = R"(c = Conv (x, wb) d = Reshape (c, b) f = Conv (x, wo) g = Sigmoid (f) h = Reshape (g, o)
    i = Conv (x, ws) j = Sigmoid (i) k = Reshape (j, s) l = Concat <axis = 1> (d, h, k)
    m = Slice (l, zero, rows, two) y = Transpose <perm = [0, 2, 1]> (m))";
  const auto with_rows = [&](const std::string& rows) {
    std::string text = constants;
    return layout_of("float[1," + rows + ",7] y", text.replace(text.find("ROWS"), 4, rows), nodes);
  };
  const auto found = with_rows("21");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (DetectionLayout{.form = DetectionForm::CxcywhScores,
                                     .boxes = "y",
                                     .classes = 2,
                                     .axis = 2,
                                     .objectness = true,
                                     .grid = true,
                                     .suppressed = false}));
  EXPECT_FALSE(with_rows("22")) << "no grid has so many cells";
}

// YOLOv5: one Sigmoid writes boxes and scores, and the box is decoded from its output.
TEST(FindDetections, RecognizesTheObjectBesideClassesOfOneSigmoid) {
  const auto found =
      layout_of("float[1,1024,7] y",
                "float[7,1,1,1] w = {1, 1, 1, 1, 1, 1, 1}, int64[3] b = {1, 7, 1024}, float two = {2}, "
                "int64[3] parts = {2, 2, 3}, float[1,1024,2] cells = {" +
                    repeated("1", 2048) + "}",
                R"(c = Conv (x, w) d = Reshape (c, b) t = Transpose <perm = [0, 2, 1]> (d) s = Sigmoid (t)
                                  xy, wh, score = Split <axis = 2> (s, parts) p = Mul (xy, two) q = Add (p, cells)
                                  r = Mul (wh, wh) y = Concat <axis = 2> (q, r, score))");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (DetectionLayout{.form = DetectionForm::CxcywhScores,
                                     .boxes = "y",
                                     .classes = 2,
                                     .axis = 2,
                                     .objectness = true,
                                     .suppressed = false}));
}

// DETR: boxes in 0..1 behind a Sigmoid, logits of the same queries.
TEST(FindDetections, RecognizesTwoOutputsOfOneQueryAxis) {
  const std::string constants =
      "float[4,1,1,1] wb = {1, 1, 1, 1}, float[3,1,1,1] ws = {1, 1, 1}, int64[3] b = {1, 1024, 4}, int64[3] s = {1, "
      "1024, 3}";
  const auto found = layout_of("float[1,1024,3] logits, float[1,1024,4] boxes", constants,
                               R"(c = Conv (x, wb) d = Reshape (c, b) boxes = Sigmoid (d)
                                  f = Conv (x, ws) logits = Reshape (f, s))");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found,
            (DetectionLayout{.form = DetectionForm::BoxesLogits, .boxes = "boxes", .scores = "logits", .classes = 3}));
  EXPECT_FALSE(layout_of("float[1,1024,3] logits, float[1,1024,4] boxes", constants,
                         R"(c = Conv (x, wb) boxes = Reshape (c, b) f = Conv (x, ws) logits = Reshape (f, s))"))
      << "four raw numbers are no box";
}

// Decoded boxes t [1,1024,4] and scores h [1,3,1024], of which a NonMaxSuppression selects.
const std::string kSelectedConstants =
    "float[4,1,1,1] wb = {1, 1, 1, 1}, float[3,1,1,1] ws = {1, 1, 1}, float[1,1,1] stride = {8}, "
    "int64[3] b = {1, 4, 1024}, int64[3] s = {1, 3, 1024}, int64[1] k = {5}, int64[1] zero = {0}, int64[1] one = {1}, "
    "int64[1] two = {2}, int64[1] three = {3}, int64 first = {1}, int64 second = {2}";
const std::string kSelectedNodes = R"(c = Conv (x, wb) d = Reshape (c, b) e = Mul (d, stride)
  t = Transpose <perm = [0, 2, 1]> (e) f = Conv (x, ws) g = Reshape (f, s) h = Sigmoid (g)
  chosen = NonMaxSuppression (t, h, k) row = Gather <axis = 1> (chosen, second)
  label = Gather <axis = 1> (chosen, first) at = Slice (chosen, one, three, one)
  all = Squeeze (t, zero) each = Squeeze (h, zero) box = Gather (all, row) score = GatherND (each, at))";

// torchvision: as many rows as were selected, in outputs of any order.
TEST(FindDetections, RecognizesBoxesScoresAndLabelsBehindANonMaxSuppression) {
  const auto found =
      layout_of("float[n,4] boxes, int64[n] classes, float[n] y", kSelectedConstants,
                kSelectedNodes + "boxes = Identity (box) classes = Identity (label) y = Identity (score)");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found,
            (DetectionLayout{
                .form = DetectionForm::BoxesScoresLabels, .boxes = "boxes", .scores = "y", .labels = "classes"}));
  EXPECT_EQ(describe(found),
            "outputs 'boxes', 'y' and 'classes': 4 box coordinates, score and class a row, each object once");
}

// With the samples in front, labels as floats before the scores, and the number of rows.
TEST(FindDetections, RecognizesFloatLabelsAndANumberOfRows) {
  const auto found =
      layout_of("int64[1,1] number, float[1,n,4] boxes, float[1,n] classes, float[1,n] y", kSelectedConstants,
                kSelectedNodes +
                    "boxes = Unsqueeze (box, zero) wide = Cast <to = 1> (label) classes = Unsqueeze (wide, zero) "
                    "y = Unsqueeze (score, zero) length = Shape (score) number = Unsqueeze (length, zero)");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->scores, "y");
  EXPECT_EQ(found->labels, "classes");
  EXPECT_EQ(found->count, "number");
}

TEST(FindDetections, RecognizesThreeOutputsThatTopKSelects) {
  const std::string constants =
      "float[4,1,1,1] wb = {1, 1, 1, 1}, float[1,1,1,1] ws = {1}, float[1,1] stride = {8}, int64[2] b = {1024, 4}, "
      "int64[1] s = {1024}, int64[1] k = {10}, int64 classes = {1}";
  const std::string nodes = R"(c = Conv (x, wb) d = Reshape (c, b) f = Conv (x, ws) g = Reshape (f, s) h = Sigmoid (g)
    y, i = TopK (h, k) labels = Mod (i, classes) )";
  const std::string outputs = "float[10,4] boxes, float[10] y, int64[10] labels";
  EXPECT_TRUE(layout_of(outputs, constants, nodes + "e = Mul (d, stride) boxes = Gather (e, i)"));
  EXPECT_FALSE(layout_of(outputs, constants, nodes + "boxes = Gather (d, i)")) << "four raw numbers are no box";
}

// A classifier of points: a row of four, the score of its class and the class, of all places.
TEST(FindDetections, NeedsASelectionOfRowsInThreeOutputs) {
  EXPECT_FALSE(layout_of("float[1024,4] boxes, float[1024] y, int64[1024] labels",
                         "float[4,1,1,1] wb = {1, 1, 1, 1}, float[3,1,1,1] ws = {1, 1, 1}, float[1,1] stride = {8}, "
                         "int64[2] b = {1024, 4}, int64[2] s = {1024, 3}",
                         R"(c = Conv (x, wb) d = Reshape (c, b) boxes = Mul (d, stride) f = Conv (x, ws)
                            g = Reshape (f, s) h = Sigmoid (g) y = ReduceMax <axes = [1], keepdims = 0> (h)
                            labels = ArgMax <axis = 1, keepdims = 0> (h))"));
  EXPECT_FALSE(layout_of("float[n,4] boxes, float[n] y", kSelectedConstants,
                         kSelectedNodes + "boxes = Identity (box) y = Identity (score)"))
      << "there are no labels";
}

// Rows of six behind a NonMaxSuppression.
TEST(FindDetections, RecognizesRowsThatANonMaxSuppressionSelects) {
  const auto found = layout_of("float[1,n,6] y", kSelectedConstants,
                               kSelectedNodes + R"(wide = Cast <to = 1> (label) l = Unsqueeze (wide, one)
                                 v = Unsqueeze (score, one) r = Concat <axis = 1> (box, v, l) y = Unsqueeze (r, zero))");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (DetectionLayout{.form = DetectionForm::XyxyScoreClass, .boxes = "y", .axis = 2}));
}

TEST(FindDetections, CallsNoOtherNetworkADetector) {
  const std::string weights =
      "float[4,1,1,1] w = {1, 1, 1, 1}, float[4,1,1,1] v = {1, 1, 1, 1}, int64[3] s = {1, 4, 1024}";
  EXPECT_FALSE(layout_of("float[1,8,1024] y", weights,
                         R"(c = Conv (x, w) d = Reshape (c, s) e = Conv (x, v) f = Reshape (e, s)
                            y = Concat <axis = 1> (d, f))"))
      << "two layers are joined";
  EXPECT_FALSE(layout_of("float[1,4,1024] y", weights, "c = Conv (x, w) d = Sigmoid (c) y = Reshape (d, s)"));
  EXPECT_FALSE(layout_of("float[1,8,32,32] y", weights, "c = Conv (x, w) d = Sigmoid (c) y = Concat <axis = 1> (c, d)"))
      << "a map of features";
}

}  // namespace
}  // namespace detent
