// Every operator on floats takes double, float16 and bfloat16 where the specification allows them, gives the same type
// back and, up to one rounding of the result, the same numbers as in float.

#include <algorithm>

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::int64s;
using test::ramp;
using test::run_one;

struct TypeCase {
  std::string node;
  std::vector<Tensor> inputs;
};

void add_cases(std::vector<TypeCase>& cases, std::initializer_list<const char*> operators, const std::string& operands,
               const std::vector<Tensor>& inputs) {
  for (const std::string op : operators) cases.push_back({"y = " + op + operands, inputs});
}

std::vector<TypeCase> elementwise_cases() {
  std::vector<TypeCase> cases;
  const Tensor a = ramp({3, 4}, 0.1F, 0.9F), b = ramp({3, 4}, 0.2F, 3);
  add_cases(cases, {"Abs",          "Acos",
                    "Asin",         "Asinh",
                    "Atan",         "Atanh",
                    "Ceil",         "Celu",
                    "Cos",          "Cosh",
                    "Elu",          "Erf",
                    "Exp",          "Floor",
                    "Gelu",         "HardSigmoid",
                    "Identity",     "LeakyRelu",
                    "Log",          "LogSoftmax",
                    "Mish",         "Neg",
                    "HardSwish",    "Reciprocal",
                    "Relu",         "Round",
                    "Selu",         "Shrink",
                    "Sigmoid",      "Sign",
                    "Sin",          "Sinh",
                    "Softmax",      "Softplus",
                    "Sqrt",         "Softsign",
                    "Swish",        "Tan",
                    "Tanh",         "ThresholdedRelu",
                    "Hardmax",      "Trilu",
                    "Unique",       "Dropout",
                    "EyeLike",      "Flatten",
                    "Transpose",    "LpNormalization",
                    "ReduceL1",     "ReduceL2",
                    "ReduceLogSum", "ReduceLogSumExp",
                    "ReduceMax",    "ReduceMean",
                    "ReduceMin",    "ReduceProd",
                    "ReduceSum",    "ReduceSumSquare"},
            "(a)", {a});
  add_cases(cases, {"Acosh"}, "(a)", {ramp({3}, 1.5F, 3)});
  add_cases(cases, {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Mean", "Sum", "Mod", "PRelu", "SwiGLU"}, "(a, b)",
            {a, b});
  add_cases(cases, {"Clip"}, "(a, b, c)", {a, Tensor::scalar(0.25F), Tensor::scalar(0.5F)});
  add_cases(cases, {"CumSum", "CumProd"}, "(a, b)", {a, int64s({1})});
  return cases;
}

std::vector<TypeCase> layer_cases() {
  std::vector<TypeCase> cases;
  const Tensor image = ramp({2, 4, 4, 4}), weights = ramp({4, 4, 2, 2}), one = ramp({4}, 0.5F, 1);
  add_cases(cases,
            {"MaxPool<kernel_shape = [2, 2]>", "AveragePool<kernel_shape = [2, 2]>", "LpPool<kernel_shape = [2, 2]>",
             "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "LRN<size = 3>", "MeanVarianceNormalization",
             "DepthToSpace<blocksize = 2>", "SpaceToDepth<blocksize = 2>", "Det"},
            "(a)", {image});
  add_cases(cases, {"Conv", "ConvTranspose"}, "(a, b, c)", {image, weights, one});
  add_cases(cases, {"DeformConv"}, "(a, b, c)", {image, weights, ramp({2, 8, 3, 3})});
  add_cases(cases, {"MatMul"}, "(a, b)", {image, image});
  add_cases(cases, {"Gemm"}, "(a, b, c)", {ramp({3, 4}), ramp({4, 4}), one});
  add_cases(cases, {"Einsum<equation = \"ij,jk->ik\">"}, "(a, b)", {ramp({3, 4}), ramp({4, 4})});
  add_cases(cases, {"BatchNormalization"}, "(a, b, c, d, e)", {image, one, one, one, one});
  add_cases(cases, {"InstanceNormalization", "GroupNormalization<num_groups = 2>", "LayerNormalization"}, "(a, b, c)",
            {image, one, one});
  add_cases(cases, {"RMSNormalization"}, "(a, b)", {image, one});
  add_cases(cases, {"Attention"}, "(a, b, c)", {image, image, image});
  add_cases(cases, {"RotaryEmbedding"}, "(a, b, c)", {image, ramp({2, 4, 2}), ramp({2, 4, 2})});
  add_cases(cases, {"LSTM<hidden_size = 2>"}, "(a, b, c)", {ramp({2, 1, 3}), ramp({1, 8, 3}), ramp({1, 8, 2})});
  add_cases(cases, {"GRU<hidden_size = 2>"}, "(a, b, c)", {ramp({2, 1, 3}), ramp({1, 6, 3}), ramp({1, 6, 2})});
  add_cases(cases, {"RNN<hidden_size = 2>"}, "(a, b, c)", {ramp({2, 1, 3}), ramp({1, 2, 3}), ramp({1, 2, 2})});
  add_cases(cases, {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}, "(a, b)", {ramp({2, 3}), int64s({1, 0})});
  return cases;
}

std::vector<TypeCase> movement_cases() {
  std::vector<TypeCase> cases;
  const Tensor image = ramp({2, 4, 4, 4}), row = ramp({2}), swapped = int64s({1, 0}),
               last = Tensor::from<int64_t>({1, 1}, {1});
  add_cases(cases, {"Gather"}, "(a, b)", {image, swapped});
  add_cases(cases, {"GatherND"}, "(a, b)", {image, last});
  add_cases(cases, {"GatherElements", "Pad"}, "(a, b)", {row, swapped});
  add_cases(cases, {"ScatterElements<reduction = \"max\">"}, "(a, b, c)", {row, swapped, row});
  add_cases(cases, {"ScatterND<reduction = \"mul\">"}, "(a, b, c)", {row, last, ramp({1})});
  add_cases(cases, {"TensorScatter"}, "(a, b, c)", {ramp({2, 3, 4}), ramp({2, 1, 4}), swapped});
  add_cases(cases, {"Tile", "Expand"}, "(a, b)", {row, int64s({2})});
  add_cases(cases, {"Where"}, "(a, b, c)", {Tensor::from<bool>({2}, {true, false}), row, ramp({2}, 4, 5)});
  add_cases(cases, {"Concat<axis = 0>"}, "(a, b)", {row, row});
  add_cases(cases, {"Slice"}, "(a, b, c)", {row, int64s({0}), int64s({1})});
  add_cases(cases, {"TopK"}, "(a, b)", {ramp({5}), int64s({2})});
  add_cases(cases, {"Resize", "Resize<mode = \"linear\">"}, "(a, , , d)", {image, {}, {}, int64s({2, 4, 6, 7})});
  add_cases(cases, {"GridSample"}, "(a, b)", {image, ramp({2, 3, 3, 2}, -1, 1)});
  add_cases(cases, {"AffineGrid"}, "(a, b)", {ramp({2, 2, 3}), int64s({2, 4, 3, 5})});
  add_cases(cases, {"Col2Im"}, "(a, b, c)", {ramp({1, 4, 4}), int64s({3, 3}), int64s({2, 2})});
  add_cases(cases, {"CenterCropPad"}, "(a, b)", {ramp({3, 4}), int64s({5, 2})});
  add_cases(cases, {"Compress<axis = 0>"}, "(a, b)", {row, Tensor::from<bool>({2}, {false, true})});
  add_cases(cases, {"OneHot"}, "(a, b, c)", {swapped, int64s({3}), row});
  add_cases(cases, {"ReverseSequence"}, "(a, b)", {ramp({3, 2, 2}), int64s({2, 3})});
  add_cases(cases, {"Range"}, "(a, b, c)", {Tensor::scalar(1.0F), Tensor::scalar(6.0F), Tensor::scalar(2.0F)});
  add_cases(cases, {"RoiAlign"}, "(a, b, c)", {image, Tensor::from<float>({1, 4}, {0, 0, 3, 3}), int64s({1})});
  add_cases(cases, {"MaxRoiPool<pooled_shape = [2, 2]>"}, "(a, b)",
            {image, Tensor::from<float>({1, 5}, {1, 0, 0, 3, 3})});
  add_cases(cases, {"DFT"}, "(a)", {ramp({1, 5, 1})});
  add_cases(cases, {"STFT"}, "(a, b, c)", {ramp({1, 16, 1}), Tensor::scalar(int64_t{4}), ramp({8}, 0, 1)});
  add_cases(cases, {"MaxUnpool<kernel_shape = [2], strides = [2]>"}, "(a, b)",
            {ramp({1, 1, 2}), Tensor::from<int64_t>({1, 1, 2}, {1, 2})});
  return cases;
}

Tensor converted(const Tensor& tensor, DataType from, DataType to) {
  return tensor.type() == from ? cast(tensor, to) : tensor;
}

/// Half a unit in the last place of the type, and the error of float arithmetic in another order.
double bound_of(DataType type) {
  const double unit = type == DataType::Float16 ? 0x1p-11 : type == DataType::BFloat16 ? 0x1p-8 : 0;
  return unit + 1e-5;
}

void expect_like_float(const TypeCase& one, DataType type) {
  std::vector<Tensor> given, rounded;
  for (const Tensor& input : one.inputs) {
    given.push_back(converted(input, DataType::Float32, type));
    rounded.push_back(converted(given.back(), type, DataType::Float32));
  }
  const Tensor y = run_one(one.node, given, {28});
  ASSERT_EQ(y.type(), type);
  const std::vector<float> found = test::values(cast(y, DataType::Float32)),
                           expected = test::values(run_one(one.node, rounded, {28}));
  ASSERT_EQ(found.size(), expected.size());
  // Some outputs are small differences of terms around 1.
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], bound_of(type) * (static_cast<double>(std::abs(expected[i])) + 1e-2));
}

void expect_all_like_float(const std::vector<TypeCase>& cases) {
  for (const TypeCase& one : cases)
    for (const DataType type : {DataType::Float64, DataType::Float16, DataType::BFloat16}) {
      SCOPED_TRACE(one.node + " " + std::string(name_of(type)));
      try {
        expect_like_float(one, type);
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
}

TEST(FloatTypes, GiveWhatFloatGivesElementByElement) { expect_all_like_float(elementwise_cases()); }
TEST(FloatTypes, GiveWhatFloatGivesInLayers) { expect_all_like_float(layer_cases()); }
TEST(FloatTypes, GiveWhatFloatGivesWhenMoved) { expect_all_like_float(movement_cases()); }

}  // namespace
}  // namespace detent
