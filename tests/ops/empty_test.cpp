// Tensors without elements: operators make the shape that the specification asks for, and touch nothing.

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::int64s;
using test::run_one;

Tensor none(const Shape& shape, DataType type = DataType::Float32) { return Tensor(type, shape); }

struct EmptyCase {
  std::string node;
  std::vector<Tensor> inputs;
  Shape shape;
};

const std::vector<EmptyCase>& cases() {
  static const Tensor one = Tensor::from<float>({1}, {1}), two = Tensor::from<float>({2}, {1, 1});
  static const std::vector<EmptyCase> all = {
      {"y = Add(a, b)", {none({0, 3}), one}, {0, 3}},
      {"y = Relu(a)", {none({0})}, {0}},
      {"y = Where(a, b, c)", {none({0, 1}, DataType::Bool), none({0, 2}), one}, {0, 2}},
      {"y = Equal(a, b)", {none({2, 0}), one}, {2, 0}},
      {"y = Clip(a)", {none({0})}, {0}},
      {"y = Softmax(a)", {none({0, 3})}, {0, 3}},
      {"y = Softmax(a)", {none({2, 0})}, {2, 0}},
      {"y = LogSoftmax<axis = 0>(a)", {none({2, 0})}, {2, 0}},
      {"y = MatMul(a, b)", {none({0, 2}), test::ramp({2, 3})}, {0, 3}},
      {"y = Gemm(a, b)", {none({0, 2}), test::ramp({2, 3})}, {0, 3}},
      {"y = Einsum<equation = \"ij,jk->ik\">(a, b)", {none({0, 2}), test::ramp({2, 3})}, {0, 3}},
      {"y = Conv(a, b)", {none({0, 2, 4, 4}), test::ramp({3, 2, 2, 2})}, {0, 3, 3, 3}},
      {"y = MaxPool<kernel_shape = [2, 2]>(a)", {none({0, 2, 4, 4})}, {0, 2, 3, 3}},
      {"y = AveragePool<kernel_shape = [2, 2]>(a)", {none({0, 2, 4, 4})}, {0, 2, 3, 3}},
      {"y = GlobalAveragePool(a)", {none({0, 2, 4, 4})}, {0, 2, 1, 1}},
      {"y = LayerNormalization(a, b)", {none({0, 2}), two}, {0, 2}},
      {"y = RMSNormalization(a, b)", {none({0, 2}), two}, {0, 2}},
      {"y = InstanceNormalization(a, b, c)", {none({0, 2, 3}), two, two}, {0, 2, 3}},
      {"y = GroupNormalization<num_groups = 2>(a, b, c)", {none({0, 2, 3}), two, two}, {0, 2, 3}},
      {"y = BatchNormalization(a, b, c, d, e)", {none({0, 2, 3}), two, two, two, two}, {0, 2, 3}},
      {"y = Resize(a, , c)", {none({0, 2}), {}, Tensor::from<float>({2}, {1, 2})}, {0, 4}},
      {"y = Transpose(a)", {none({0, 3})}, {3, 0}},
      {"y = Concat<axis = 0>(a, b)", {none({0, 3}), none({0, 3})}, {0, 3}},
      {"y = Slice(a, b, c)", {test::ramp({4}), int64s({3}), int64s({1})}, {0}},
      {"y = Gather(a, b)", {test::ramp({4, 2}), none({0}, DataType::Int64)}, {0, 2}},
      {"y = GatherElements(a, b)", {test::ramp({4, 2}), none({0, 2}, DataType::Int64)}, {0, 2}},
      {"y = GatherND(a, b)", {test::ramp({4, 2}), none({0, 1}, DataType::Int64)}, {0, 2}},
      {"y = ScatterND(a, b, c)", {test::ramp({4, 2}), none({0, 1}, DataType::Int64), none({0, 2})}, {4, 2}},
      {"y = ScatterElements(a, b, c)", {test::ramp({4, 2}), none({0, 2}, DataType::Int64), none({0, 2})}, {4, 2}},
      {"y = Tile(a, b)", {test::ramp({4, 2}), int64s({0, 2})}, {0, 4}},
      {"y = Expand(a, b)", {none({1, 0}), int64s({3, 1})}, {3, 0}},
      {"y = Pad(a, b)", {none({0}), int64s({1, 1})}, {2}},
      {"y = TopK(a, b)", {test::ramp({4, 2}), int64s({0})}, {4, 0}},
      {"y = CumSum(a, b)", {none({2, 0}), int64s({1})}, {2, 0}},
      {"y = OneHot(a, b, c)", {none({0}, DataType::Int64), int64s({3}), two}, {0, 3}},
      {"y = ReduceSum(a, b)", {none({2, 0}), int64s({1})}, {2, 1}},
      {"y = ReduceMax(a, b)", {none({2, 0}), int64s({1})}, {2, 1}},
      {"y = ReduceMean(a, b)", {none({0, 2}), int64s({1})}, {0, 1}},
      {"y = ReverseSequence(a, b)", {none({3, 0}), none({0}, DataType::Int64)}, {3, 0}},
      {"y = DepthToSpace<blocksize = 2>(a)", {none({0, 4, 2, 2})}, {0, 1, 4, 4}},
      {"y = Trilu(a)", {none({2, 0, 3})}, {2, 0, 3}},
      {"y = Det(a)", {none({0, 2, 2})}, {0}},
      {"y = Compress(a, b)", {test::ramp({3}), Tensor::from<bool>({2}, {false, false})}, {0}},
      {"y = NonZero(a)", {none({2, 0})}, {2, 0}},
      {"y = Unique(a)", {none({0})}, {0}},
      {"y = GridSample(a, b)", {test::ramp({1, 2, 3, 3}), none({1, 0, 4, 2})}, {1, 2, 0, 4}},
      {"y = Attention(a, b, c)",
       {none({1, 2, 0, 4}), test::ramp({1, 2, 3, 4}), test::ramp({1, 2, 3, 4})},
       {1, 2, 0, 4}},
      {"y = SwiGLU(a, b)", {none({0, 2}), none({0, 2})}, {0, 2}},
  };
  return all;
}

TEST(Empty, KeepsTheShapeOfNothing) {
  for (const EmptyCase& one : cases()) {
    SCOPED_TRACE(one.node);
    try {
      EXPECT_EQ(run_one(one.node, one.inputs, {28}).shape(), one.shape);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(Empty, ProductOverNothingIsZero) {
  for (const std::string node : {"y = MatMul(a, b)", "y = Gemm(a, b)", "y = Einsum<equation = \"ij,jk->ik\">(a, b)"}) {
    SCOPED_TRACE(node);
    const Tensor y = run_one(node, {none({2, 0}), none({0, 3})}, {28});
    EXPECT_EQ(y.shape(), (Shape{2, 3}));
    EXPECT_THAT(test::values(y), testing::Each(0));
  }
}

TEST(Empty, ReductionGivesTheNeutralElement) {
  const auto reduced = [](const std::string& name) {
    return test::values(run_one("y = " + name + "<keepdims = 0>(a, b)", {none({1, 0}), int64s({1})}, {28})).at(0);
  };
  EXPECT_EQ(reduced("ReduceSum"), 0);
  EXPECT_EQ(reduced("ReduceProd"), 1);
  EXPECT_EQ(reduced("ReduceMax"), -INFINITY);
  EXPECT_EQ(reduced("ReduceMin"), INFINITY);
  EXPECT_EQ(reduced("ReduceL2"), 0);
  EXPECT_EQ(reduced("ReduceLogSum"), -INFINITY);
  EXPECT_EQ(reduced("ReduceLogSumExp"), -INFINITY);
}

}  // namespace
}  // namespace detent
