// Numbers, shapes and types beyond what a kernel can read, count or keep: each is refused, or has the result that is
// stated.

#include <limits>

#include "core/memory_limit_guard.h"
#include "ops/node_runner.h"

namespace detent {
namespace {

using test::int64s;
using test::integers;
using test::ramp;
using test::run_node;
using test::run_one;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();

Tensor empty(const Shape& shape, DataType type = DataType::Float32) { return Tensor(type, shape); }
Tensor bytes(const Shape& shape) { return cast(ramp(shape, 0, 9), DataType::UInt8); }
Tensor int32s(const Shape& shape, std::initializer_list<int32_t> numbers) {
  return Tensor::from<int32_t>(shape, numbers);
}

struct Refused {
  std::string node;
  std::vector<Tensor> inputs;
  std::string message;
  int opset = 21;
};

void PrintTo(const Refused& refused, std::ostream* stream) { *stream << refused.node; }

const std::vector<Refused>& refused() {
  const Tensor image = ramp({1, 2, 3, 3}), weights = ramp({4, 2, 2, 2});
  static const std::vector<Refused> all = {
      // Shapes that let a kernel read behind the end.
      {"y = GatherND<batch_dims = 1>(a, b)",
       {ramp({2, 3}), int64s({0, 0, 0, 0}).reshaped({4, 1})},
       "indices of shape 4x1 and a tensor of shape 2x3 differ in the batch"},
      {"y = DequantizeLinear<axis = 1, block_size = 2>(a, b)",
       {bytes({4, 4}), ramp({1, 2})},
       "scales of shape 1x2 do not fit blocks of 2 along axis 1 of 4x4"},
      {"y = Conv(a, b, c)", {image, weights, ramp({3})}, "a bias of shape 3 for 4 output channels"},
      {"y = ConvTranspose(a, b, c)",
       {ramp({1, 4, 3, 3}), weights, ramp({1})},
       "a bias of shape 1 for 2 output channels"},
      {"y = Gemm(a, b, c)",
       {ramp({2, 3}), ramp({3, 4}), empty({0, 1, 1})},
       "Gemm's bias of shape 0x1x1 does not fit 2x4"},
      {"y = Clip(a, b)", {int64s({1}), empty({0}, DataType::Int64)}, "expected a scalar, got an empty tensor"},
      {"y = Clip(a, , c)", {int64s({1}), {}, empty({0}, DataType::Int64)}, "expected a scalar, got an empty tensor"},
      // Elements of a type that is narrower than what the kernel reads.
      {"y = Conv(a, b)", {bytes({1, 2, 3, 3}), weights}, "elements of type uint8 are not supported here"},
      {"y = Conv(a, b)", {image, bytes({4, 2, 2, 2})}, "elements of type uint8 are not supported here"},
      {"y = Conv(a, b, c)", {image, weights, bytes({4})}, "elements of type uint8 are not supported here"},
      {"y = Gemm(a, b, c)", {ramp({2, 3}), ramp({3, 4}), bytes({4})}, "operands of types uint8 and float"},
      {"y = DequantizeLinear(a, b, c)",
       {bytes({4}), Tensor::scalar(1.0F), Tensor::scalar(kNone)},
       "operands of types uint8 and float, expected one type"},
      // Numbers whose products or sums leave 64 bits.
      {"y = ConvInteger<group = 4611686018427387904>(a, b)",
       {bytes({1, 2, 3, 3}), bytes({4, 2, 2, 2})},
       "do not fit an input"},
      {"y = DeformConv<group = 4611686018427387904>(a, b, c)",
       {image, weights, ramp({1, 8, 2, 2})},
       "do not fit an input"},
      {"y = DeformConv<offset_group = 4611686018427387904>(a, b, c)",
       {empty({1, 0, 3, 3}), empty({4, 0, 2, 2}), ramp({1, 8, 2, 2})},
       "do not fit an input"},
      {"y = LinearAttention<q_num_heads = 4611686018427387904, kv_num_heads = 1, update_rule = \"linear\">(a, b, c)",
       {empty({1, 1, 0}), empty({1, 1, 0}), ramp({1, 1, 4})},
       "the width of the output, 4611686018427387904 * 4, is beyond 64 bits",
       27},
      {"y = Where(a, b, c)",
       {empty({1 << 25, 1, 1, 0}, DataType::Bool), empty({1, 1 << 25, 1, 0}), empty({1, 1, 1 << 25, 0})},
       "a tensor of shape 33554432x33554432x33554432x0 fits no memory"},
      // Kernels as wide as memory is large: the scale is next to nothing, the region of interest makes up for it.
      {"y = Resize<mode = \"linear\", antialias = 1, coordinate_transformation_mode = \"tf_crop_and_resize\">(a, b, c)",
       {ramp({4}), Tensor::from<float>({2}, {0, 1e30F}), Tensor::from<float>({1}, {1e-30F})},
       "the taps of an axis of 4 takes"},
  };
  return all;
}

class Bounds : public ::testing::TestWithParam<Refused> {};

TEST_P(Bounds, RefuseWhatLiesBeyond) {
  try {
    (void)run_one(GetParam().node, GetParam().inputs, {.opset = GetParam().opset});
    FAIL() << "a result";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
    EXPECT_THAT(error.code(),
                ::testing::AnyOf(ErrorCode::InvalidModel, ErrorCode::InvalidData, ErrorCode::Unsupported));
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, Bounds, ::testing::ValuesIn(refused()));

TEST(BoundsOfMemory, HoldForListsOfTensorsWithoutElements) {
  const detent::test::MemoryLimit limit(1'000'000);
  EXPECT_THROW(run_one("y = SplitToSequence<axis = 0>(a)", {empty({100'000, 0})}, {.opset = 17}), Error);
  EXPECT_EQ(run_one("y = SplitToSequence<axis = 0>(a)", {empty({1'000, 0})}, {.opset = 17}).elements().size(), 1'000U);
}

TEST(BoundsOfMemory, HoldForTheIndicesOfAnAxis) {
  const detent::test::MemoryLimit limit(1'000'000);  // 24 bytes an index: 41'666 of them
  const auto unique = [](int64_t extent) { return run_one("y = Unique<axis = 0>(a)", {empty({extent, 0})}); };
  EXPECT_THROW(unique(41'667), Error);
  EXPECT_EQ(unique(41'666).shape(), (Shape{1, 0})) << "all rows of nothing are the same";
}

TEST(BoundsOfMemory, HoldForTheCandidatesOfTopK) {
  const detent::test::MemoryLimit limit(1'000'000);  // 16 bytes a candidate: 62'500 of them
  const auto top = [](int64_t extent, int64_t k) {
    const Tensor input(DataType::Int8, {extent});  // cloned by the runner: twice its bytes
    return run_node("y, y1 = TopK<axis = 0>(a, b)", {input, int64s({k})}, {.outputs = 2}).front();
  };
  EXPECT_THROW(top(62'501, 32'000), Error);
  EXPECT_EQ(top(62'500, 32'000).shape(), (Shape{32'000}));
  EXPECT_EQ(top(200'000, 1).shape(), (Shape{1})) << "a small k needs few candidates";
}

TEST(Range, HasStepsThatItsTypeCouldNotMultiply) {
  const Tensor start = Tensor::scalar(kLeast), limit = Tensor::scalar(kMost), step = Tensor::scalar(1 << 30);
  EXPECT_THAT(integers(run_one("y = Range(a, b, c)", {start, limit, step})),
              ElementsAre(kLeast, kLeast / 2, 0, 1 << 30));
}

TEST(Shrink, SaturatesIntegers) {
  const Tensor input = Tensor::from<int8_t>({3}, {-100, 0, 100});
  EXPECT_THAT(integers(run_one("y = Shrink<lambd = 1.0, bias = 1e30>(a)", {input})), ElementsAre(127, 0, -128));
}

TEST(DynamicQuantizeLinear, ReachingToInfinityHasAZeroPoint) {
  const auto outputs = run_node("y, y1, y2 = DynamicQuantizeLinear(a)", {Tensor::from<float>({2}, {-kInfinity, 1})},
                                {.opset = 11, .outputs = 3});
  EXPECT_THAT(integers(outputs[0]), ElementsAre(0, 0)) << "an infinite step: nothing is told apart";
  EXPECT_THAT(integers(outputs[2]), ElementsAre(0));
}

TEST(SuppressionOfBoxes, TakesScoresThatAreNoNumbersLast) {
  const Tensor boxes = Tensor::from<float>({1, 3, 4}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  const Tensor scores = Tensor::from<float>({1, 1, 3}, {kNone, 1, 2});
  EXPECT_THAT(integers(run_one("y = NonMaxSuppression(a, b, c)", {boxes, scores, int64s({3})})),
              ElementsAre(0, 0, 2, 0, 0, 1, 0, 0, 0));
  EXPECT_EQ(run_one("y = NonMaxSuppression(a, b, c)", {boxes, scores, Tensor::scalar(kNone)}).shape(), (Shape{0, 3}));
}

TEST(Integers, WrapAroundInSumsAndProducts) {
  const Tensor large = int32s({1, 2}, {kMost, 1}), ones = int32s({2, 1}, {1, 1});
  EXPECT_THAT(integers(run_one("y = Einsum<equation = \"ij,jk->ik\">(a, b)", {large, ones})), ElementsAre(kLeast));
  EXPECT_THAT(integers(run_one("y = Einsum<equation = \"ij->i\">(a)", {large})), ElementsAre(kLeast));
  const Tensor half = Tensor::from<uint16_t>({1, 1}, {65535});
  EXPECT_THAT(integers(run_one("y = Einsum<equation = \"ij,jk->ik\">(a, b)", {half, half})), ElementsAre(1));
  EXPECT_THAT(
      integers(run_one("y = MatMulInteger(a, b, c)", {int32s({1, 1}, {kLeast}), ones.slice0(0, 1), int32s({}, {1})})),
      ElementsAre(kMost));
  // Two positions of a block of 2 overlap in the middle of an image of 3.
  EXPECT_THAT(integers(run_one("y = Col2Im(a, b, c)", {int32s({1, 2, 2}, {0, kMost, 1, 0}), int64s({3}), int64s({2})},
                               {.opset = 18})),
              ElementsAre(0, kLeast, 0));
}

TEST(MaxPool, PointsNowhereFromWindowsInThePaddingAlone) {
  for (const std::string order : {"0", "1"}) {
    const auto outputs =
        run_node("y, y1 = MaxPool<kernel_shape = [1, 1], pads = [1, 1, 1, 1], storage_order = " + order + ">(a)",
                 {empty({1, 1, 0, 0})}, {.outputs = 2});
    EXPECT_THAT(integers(outputs[1]), ElementsAre(-1, -1, -1, -1)) << "storage_order " << order;
  }
}

TEST(MaxPool, TakesNoTimeForTapsOutsideTheImage) {
  const std::string wide = "kernel_shape = [2147483647, 2147483647], pads = [2147483646, 2147483646, 0, 0]";
  const auto outputs = run_node("y, y1 = MaxPool<" + wide + ">(a)", {ramp({1, 1, 2, 2})}, {.outputs = 2});
  const Tensor image = ramp({1, 1, 2, 2});
  EXPECT_EQ(outputs[0].data<float>()[3], *std::ranges::max_element(image.data<float>()));
  EXPECT_EQ(outputs[0].data<float>()[0], image.data<float>()[0]);
  const Tensor mean = run_one("y = AveragePool<" + wide + ", count_include_pad = 1, ceil_mode = 1>(a)",
                              {Tensor::from<float>({1, 1, 1, 1}, {1})});
  EXPECT_FLOAT_EQ(mean.data<float>()[0], 0x1p-62F) << "of nearly 2^62 taps";
}

}  // namespace
}  // namespace detent
