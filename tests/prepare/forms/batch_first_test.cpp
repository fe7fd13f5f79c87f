// Forms that TensorRT wants: the same outputs for two batches, and the operators that are left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "exec/same_outputs.h"
#include "place/engines/target.h"
#include "place/placement_case_reader.h"
#include "prepare/engine_forms.h"
#include "prepare/prepare_model.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

Tensor wave(const Shape& shape) {
  Tensor tensor(DataType::Float32, shape);
  const auto numbers = tensor.mutable_data<float>();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>((i * 37) % 101) / 50 - 1;
  return tensor;
}

/// Prepares a model for TensorRT and expects the same outputs for batches of 1 and 3.
Model prepared(const std::string& text, std::vector<int64_t> sample) {
  Model model = parse_model_text(test::fill_tensors(text));
  const Model before = model.clone();
  (void)prepare_model(model, find_target("tensorrt"));
  for (const int64_t batch : {1, 3}) {
    std::vector<int64_t> extents{batch};
    extents.insert(extents.end(), sample.begin(), sample.end());
    const std::vector<Tensor> inputs(1, wave(Shape(extents)));
    EXPECT_NO_THROW(check_same_outputs(outputs_of(before, inputs), model, inputs, "forms")) << batch;
  }
  return model;
}

std::vector<std::string> operators(const Model& model) {
  std::vector<std::string> found;
  for (const Node& node : model.graph().nodes()) found.push_back(node.op_type);
  return found;
}

const char* const kHead = "<ir_version: 8, opset_import: [\"\" : 17]>\n g (float[N,8,4,4] x) => (float[N,M,P,Q] y)\n";

TEST(TensorRtForms, SizesThatTheGraphFixesAreConstants) {
  const Model model = prepared(std::string(kHead) + R"(<float[8,8,1,1] w = {...}, int64 zero = {0}, int64 one = {1},
    int64[1] first = {0}, int64 two = {2}, int64[2] rest = {4, 4}> {
    c = Conv (x, w)  s = Shape (c)  n = Gather (s, zero)  k = Gather (s, one)  h = Div (k, two)
    nu = Unsqueeze (n, first)  hu = Unsqueeze (h, first)  tu = Unsqueeze (two, first)
    to = Concat <axis = 0> (nu, tu, hu, rest)  r = Reshape (c, to)  m = ReduceMean <axes = [1], keepdims = 0> (r)
    y = Relu (m) })",
                               {8, 4, 4});
  EXPECT_THAT(operators(model), ElementsAre("Conv", "Reshape", "ReduceMean", "Relu"));
}

TEST(TensorRtForms, SizesOfInputsStayComputed) {
  const Model model = prepared(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[N,8,H,W] x) => (float[N,8,H,W] y)
    <float[8,8,1,1] w = {...}> { c = Conv (x, w)  s = Shape (x)  z = ConstantOfShape (s)  y = Add (c, z) })",
                               {8, 4, 4});
  EXPECT_THAT(operators(model), Contains("Shape"));
}

/// Two linear layers with this between, of a value of 4 axes.
std::vector<std::string> mlp(const std::string& between) {
  return operators(prepared(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[N,4,4,8] x) => (float[N,4,4,8] y)
    <float[8,16] w = {...}, float[16] b = {...}, float[16,8] v = {...}, float[8] d = {...}, float[1,4,4,16] t = {...},
     float root = {1.4142135}, float one = {1}, float half = {0.5}> {
    m = MatMul (x, w)  a = Add (m, b)  )" +
                                between + "  n = MatMul (g, v)  o = Add (n, d)  y = Add (o, x) }",
                            {4, 4, 8}));
}

TEST(TensorRtForms, MlpsOfFourAxesReadThree) {
  EXPECT_THAT(
      mlp("e = Div (a, root)  f = Erf (e)  p = Add (f, one)  q = Mul (a, p)  g = Mul (q, half)"),
      ElementsAre("Reshape", "MatMul", "Add", "Div", "Erf", "Add", "Mul", "Mul", "MatMul", "Add", "Reshape", "Add"));
}

TEST(TensorRtForms, MlpsWithAnImageBetweenStay) {
  EXPECT_THAT(mlp("g = Mul (a, t)"), Not(Contains("Reshape")));
  EXPECT_THAT(mlp("g = Softmax (a)"), Not(Contains("Reshape")));
}

/// A unit of ShuffleNetV2 whose first half goes on, and whose second half this reads.
std::vector<std::string> shuffled(const std::string& reader, const std::string& order = "0, 2, 1, 3, 4") {
  return operators(prepared(std::string(kHead) + R"(<float[8,8,1,1] w = {...}, float[4,4,1,1] v = {...},
    float[4,1,3,3] k = {...}, int64[5] apart = {-1, 2, 4, 4, 4}, int64[4] joint = {-1, 8, 4, 4}, int64[1] zero = {0},
    int64[1] one = {1}, int64[1] four = {4}, int64[1] eight = {8}> {
    c = Conv (x, w)  r = Reshape (c, apart)  t = Transpose <perm = [)" +
                                order + R"(]> (r)  s = Reshape (t, joint)  a = Slice (s, zero, four, one)
    b = Slice (s, four, eight, one)  )" +
                                reader + "  y = Concat <axis = 1> (a, d) }",
                            {8, 4, 4}));
}

TEST(TensorRtForms, ShufflesArePartOfProducts) {
  EXPECT_THAT(shuffled("d = Conv (b, v)"), ElementsAre("Conv", "Conv", "Conv", "Concat"));
  EXPECT_THAT(shuffled("e = Conv <group = 4, pads = [1,1,1,1]> (b, k)  d = Conv (e, v)"),
              ElementsAre("Conv", "Conv", "Conv", "Conv", "Conv", "Concat"));
}

TEST(TensorRtForms, OtherTransposesStay) {
  EXPECT_THAT(shuffled("d = Conv (b, v)", "0, 2, 1, 4, 3"), Contains("Transpose"));
}

/// PyTorch's MultiheadAttention of 2 heads on 5 tokens of 8 channels, and more that reads tokens first.
std::vector<std::string> attention(const std::string& more = "") {
  return operators(prepared(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[N,5,8] x) => (float[N,5,8] y)
    <float[8,24] w = {...}, float[24] b = {...}, float[8,8] o = {...}, float[8] c = {...}, float scale = {2},
     int64[1] two = {2}, int64[1] i0 = {0}, int64[1] i8 = {8}, int64[1] i16 = {16}, int64[1] i24 = {24},
     int64[3] heads = {5, -1, 4}, int64[2] rows = {-1, 8}, int64[3] tokens = {5, -1, 8}> {
    t = Transpose <perm = [1, 0, 2]> (x)  m = MatMul (t, w)  a = Add (m, b)
    q = Slice (a, i0, i8, two)  k = Slice (a, i8, i16, two)  v = Slice (a, i16, i24, two)
    qr = Reshape (q, heads)  kr = Reshape (k, heads)  vr = Reshape (v, heads)
    qt = Transpose <perm = [1, 0, 2]> (qr)  kt = Transpose <perm = [1, 2, 0]> (kr)
    vt = Transpose <perm = [1, 0, 2]> (vr)  qs = Div (qt, scale)  s = MatMul (qs, kt)  p = Softmax <axis = -1> (s)
    r = MatMul (p, vt)  rt = Transpose <perm = [1, 0, 2]> (r)  f = Reshape (rt, rows)
    g = Gemm <transB = 1> (f, o, c)  h = Reshape (g, tokens)  z = Transpose <perm = [1, 0, 2]> (h)  y = Add (z, x) )" +
                                more + " }",
                            {5, 8}));
}

TEST(TensorRtForms, AttentionReadsTheBatchFirst) {
  const std::vector<std::string> found = attention();
  EXPECT_EQ(std::ranges::count(found, "Transpose"), 4);  // of Q, K, V and the result
  EXPECT_EQ(std::ranges::count(found, "Reshape"), 5);    // Q, K and V apart, the result to rows, and back
  EXPECT_THAT(found, Not(Contains("Unsqueeze")));
  EXPECT_EQ(found.front(), "MatMul");
}

TEST(TensorRtForms, AttentionBesideAnotherReaderOfItsTokensStays) {
  const std::vector<std::string> found = attention("u = Softmax <axis = 0> (t)");
  EXPECT_EQ(std::ranges::count(found, "Transpose"), 5);  // that in front of the projections, too
  EXPECT_THAT(found, Contains("Unsqueeze"));
}

}  // namespace
}  // namespace detent
