// Kernels that only move elements: checked on tensors whose elements say where they came from.
#include <numeric>

#include "ops/find_operator.h"
#include "ops/node_runner.h"

namespace detent {
namespace {

using test::int64s;
using test::run_one;

/// 0, 1, 2 ... in the order of the shape.
Tensor numbered_tensor(const Shape& shape) {
  Tensor tensor(DataType::Float32, shape);
  std::iota(tensor.mutable_data<float>().begin(), tensor.mutable_data<float>().end(), 0.0F);
  return tensor;
}

float element_at(const Tensor& tensor, std::vector<int64_t> index) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset = offset * tensor.shape()[i] + index[i];
  return tensor.data<float>()[static_cast<size_t>(offset)];
}

/// Calls check(n, c, h, w) for all indices of a tensor of rank 4.
template <class Check>
void for_each_index(const Shape& shape, Check check) {
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t h = 0; h < shape[2]; ++h)
        for (int64_t w = 0; w < shape[3]; ++w) check(n, c, h, w);
}

TEST(Transpose, PutsEveryElementInItsPlace) {
  const Tensor input = numbered_tensor({2, 3, 17, 33});
  std::vector<size_t> order{0, 1, 2, 3};
  do {
    std::string perm;
    for (const size_t axis : order) perm += (perm.empty() ? "" : ", ") + std::to_string(axis);
    const Tensor output = run_one("y = Transpose<perm = [" + perm + "]>(a)", {input});
    for_each_index(output.shape(), [&](int64_t n, int64_t c, int64_t h, int64_t w) {
      const int64_t to[] = {n, c, h, w};
      std::vector<int64_t> from(4);
      for (size_t i = 0; i < 4; ++i) from[order[i]] = to[i];
      ASSERT_EQ(element_at(output, {n, c, h, w}), element_at(input, from)) << perm;
    });
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Transpose, ReversesTheAxesByDefault) {
  const Tensor output = run_one("y = Transpose(a)", {numbered_tensor({2, 3})});
  EXPECT_EQ(output.shape(), (Shape{3, 2}));
  EXPECT_THAT(test::values(output), testing::ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  EXPECT_THROW(run_one("y = Transpose<perm = [0, 0]>(a)", {numbered_tensor({2, 3})}), Error);
  EXPECT_THROW(run_one("y = Transpose<perm = [0]>(a)", {numbered_tensor({2, 3})}), Error);
}

TEST(Concat, JoinsAlongAnyAxisInBothLayouts) {
  for (size_t axis = 0; axis < 4; ++axis)
    for (const Layout layout : test::kLayouts) {
      Shape other{2, 3, 4, 5}, joined{2, 3, 4, 5};
      other[axis] = 2;
      joined[axis] += 2;
      const Tensor a = numbered_tensor({2, 3, 4, 5}), b = numbered_tensor(other);
      const Tensor output =
          run_one("y = Concat<axis = " + std::to_string(static_cast<int>(axis) - 4) + ">(a, b)", {a, b}, {13, layout});
      ASSERT_EQ(output.shape(), joined);
      for_each_index(joined, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
        std::vector<int64_t> index{n, c, h, w};
        const bool first = index[axis] < a.shape()[axis];
        if (!first) index[axis] -= a.shape()[axis];
        ASSERT_EQ(element_at(output, {n, c, h, w}), element_at(first ? a : b, index));
      });
    }
}

TEST(Concat, TakesIntegersAndEmptyInputs) {
  EXPECT_THAT(test::integers(run_one("y = Concat<axis = 0>(a, b, c)", {int64s({1}), int64s({}), int64s({2, 3})})),
              testing::ElementsAre(1, 2, 3));
}

TEST(Concat, RefusesOtherExtents) {
  EXPECT_THROW(run_one("y = Concat<axis = 0>(a, b)", {numbered_tensor({2, 3}), numbered_tensor({2, 4})}), Error);
}

TEST(Split, TakesApartWhatConcatJoined) {
  const Tensor input = numbered_tensor({2, 6, 3, 4});
  for (const Layout layout : test::kLayouts) {
    const auto parts = test::run_node("y, y1, y2 = Split<axis = 1>(a, b)", {input, int64s({1, 3, 2})}, {13, layout, 3});
    EXPECT_EQ(parts[1].shape(), (Shape{2, 3, 3, 4}));
    const Tensor whole = run_one("y = Concat<axis = 1>(a, b, c)", parts, {13, layout});
    EXPECT_EQ(test::values(whole), test::values(input));
  }
}

TEST(Split, IsEqualByDefaultWithASmallerLastPart) {
  const auto even = test::run_node("y, y1 = Split(a)", {numbered_tensor({4})}, {11, Layout::Plain, 2});
  EXPECT_THAT(test::values(even[1]), testing::ElementsAre(2, 3));
  const auto uneven =
      test::run_node("y, y1 = Split<num_outputs = 2>(a)", {numbered_tensor({5})}, {18, Layout::Plain, 2});
  EXPECT_THAT(test::values(uneven[1]), testing::ElementsAre(3, 4));
  EXPECT_THROW(test::run_node("y, y1 = Split(a, b)", {numbered_tensor({5}), int64s({2, 2})}, {13, Layout::Plain, 2}),
               Error);
}

TEST(Slice, CutsWithStepsInBothLayouts) {
  const Tensor input = numbered_tensor({2, 6, 7, 8});
  for (const Layout layout : test::kLayouts) {
    const Tensor output = run_one(
        "y = Slice(a, b, c, d, e)",
        {input, int64s({1, -1, 0}), int64s({6, -100, 100}), int64s({1, 2, -1}), int64s({2, -2, 3})}, {13, layout});
    ASSERT_EQ(output.shape(), (Shape{2, 3, 4, 3}));
    for_each_index(output.shape(), [&](int64_t n, int64_t c, int64_t h, int64_t w) {
      ASSERT_EQ(element_at(output, {n, c, h, w}), element_at(input, {n, 1 + 2 * c, 6 - 2 * h, 3 * w}));
    });
  }
}

TEST(Slice, ReadsAttributesInOldOpsetsAndClamps) {
  EXPECT_THAT(test::values(run_one("y = Slice<starts = [1], ends = [1000]>(a)", {numbered_tensor({4})}, {9})),
              testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(run_one("y = Slice(a, b, c)", {numbered_tensor({4}), int64s({3}), int64s({1})}).shape(), (Shape{0}));
  const int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(test::values(run_one("y = Slice(a, b, c, d, e)",
                                   {numbered_tensor({3}), int64s({most}), int64s({least}), int64s({0}), int64s({-1})})),
              testing::ElementsAre(2, 1, 0));
  EXPECT_THROW(
      run_one("y = Slice(a, b, c, d, e)", {numbered_tensor({3}), int64s({0}), int64s({3}), int64s({0}), int64s({0})}),
      Error);
}

TEST(Gather, PicksRowsAndCountsFromTheEnd) {
  const Tensor input = numbered_tensor({3, 2});
  EXPECT_THAT(test::values(run_one("y = Gather(a, b)", {input, int64s({2, -3})})), testing::ElementsAre(4, 5, 0, 1));
  const Tensor column = run_one("y = Gather<axis = 1>(a, b)", {input, Tensor::scalar(int64_t{1})});
  EXPECT_EQ(column.shape(), (Shape{3}));
  EXPECT_THAT(test::values(column), testing::ElementsAre(1, 3, 5));
  EXPECT_THROW(run_one("y = Gather(a, b)", {input, int64s({3})}), Error);
}

TEST(Pad, SurroundsWithTheValueInBothLayouts) {
  const Tensor input = numbered_tensor({2, 3, 4, 5});
  for (const Layout layout : test::kLayouts) {
    const Tensor output =
        run_one("y = Pad(a, b, c)", {input, int64s({0, 0, 1, 2, 0, 1, 0, 3}), Tensor::scalar(-7.0F)}, {13, layout});
    ASSERT_EQ(output.shape(), (Shape{2, 4, 5, 10}));
    for_each_index(output.shape(), [&](int64_t n, int64_t c, int64_t h, int64_t w) {
      const bool inside = c < 3 && h >= 1 && w >= 2 && w < 7;
      ASSERT_EQ(element_at(output, {n, c, h, w}), inside ? element_at(input, {n, c, h - 1, w - 2}) : -7);
    });
  }
}

TEST(Reshape, ResolvesZeroAndMinusOne) {
  EXPECT_EQ(run_one("y = Reshape(a, b)", {numbered_tensor({2, 3, 4}), int64s({0, -1})}).shape(), (Shape{2, 12}));
  EXPECT_EQ(run_one("y = Reshape<allowzero = 1>(a, b)", {numbered_tensor({0, 3}), int64s({3, 0})}, {14}).shape(),
            (Shape{3, 0}));
  EXPECT_THROW(run_one("y = Reshape(a, b)", {numbered_tensor({2, 3}), int64s({4, -1})}), Error);
  EXPECT_THROW(run_one("y = Reshape(a, b)", {numbered_tensor({2, 3}), int64s({-1, -1})}), Error);
}

TEST(Reshape, SharesItsMemory) {
  const Model model =
      parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g (float a) => (float y) { y = Flatten(a) }");
  const auto kernel = find_operator("", "Flatten", 13)->make({model.graph(), model.graph().node(NodeId{0}), 13});
  Tensor input = numbered_tensor({2, 3, 4}), output;
  Workspace workspace;
  KernelCall call(std::span(&input, 1), std::span(&output, 1), {}, Allocator::heap(), workspace);
  kernel->run(call);
  EXPECT_EQ(output.raw(), input.raw());
  EXPECT_EQ(output.shape(), (Shape{2, 12}));
}

TEST(Squeeze, DropsOnlyOnes) {
  EXPECT_EQ(run_one("y = Squeeze(a)", {numbered_tensor({1, 2, 1})}).shape(), (Shape{2}));
  EXPECT_EQ(run_one("y = Squeeze(a, b)", {numbered_tensor({1, 2, 1}), int64s({-1})}).shape(), (Shape{1, 2}));
  EXPECT_EQ(run_one("y = Squeeze<axes = [0]>(a)", {numbered_tensor({1, 2, 1})}, {11}).shape(), (Shape{2, 1}));
  EXPECT_THROW(run_one("y = Squeeze(a, b)", {numbered_tensor({1, 2, 1}), int64s({1})}), Error);
}

TEST(Unsqueeze, InsertsOnes) {
  EXPECT_EQ(run_one("y = Unsqueeze(a, b)", {numbered_tensor({2, 3}), int64s({0, -1})}).shape(), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(run_one("y = Unsqueeze<axes = [1]>(a)", {numbered_tensor({2, 3})}, {11}).shape(), (Shape{2, 1, 3}));
}

TEST(Shape, ReadsExtentsWithoutTouchingTheData) {
  for (const Layout layout : test::kLayouts) {
    EXPECT_THAT(test::integers(run_one("y = Shape(a)", {numbered_tensor({2, 3, 4})}, {13, layout})),
                testing::ElementsAre(2, 3, 4));
    EXPECT_THAT(
        test::integers(run_one("y = Shape<start = -2, end = -1>(a)", {numbered_tensor({2, 3, 4})}, {15, layout})),
        testing::ElementsAre(3));
  }
}

TEST(ConstantOfShape, FillsWithItsValue) {
  const Tensor output = run_one("y = ConstantOfShape(a)", {int64s({2, 2})});
  EXPECT_THAT(test::values(output), testing::ElementsAre(0, 0, 0, 0));
  EXPECT_THROW(run_one("y = ConstantOfShape(a)", {int64s({-1})}), Error);
}

TEST(Cast, ConvertsAndSharesWhereNothingChanges) {
  EXPECT_THAT(test::integers(run_one("y = Cast<to = 7>(a)", {Tensor::from<float>({2}, {1.9F, -1.9F})})),
              testing::ElementsAre(1, -1));
  EXPECT_EQ(run_one("y = Cast<to = 10>(a)", {numbered_tensor({2})}).type(), DataType::Float16);
}

TEST(Expand, RepeatsWhatIsOne) {
  EXPECT_THAT(test::values(run_one("y = Expand(a, b)", {numbered_tensor({2, 1}), int64s({1, 2, 3})})),
              testing::ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_EQ(run_one("y = Expand(a, b)", {numbered_tensor({2, 3}), int64s({1})}).shape(), (Shape{2, 3}));
  EXPECT_EQ(run_one("y = Expand(a, b)", {numbered_tensor({1, 3}), int64s({0, 1})}).shape(), (Shape{0, 3}));
  EXPECT_THROW(run_one("y = Expand(a, b)", {numbered_tensor({2, 3}), int64s({4})}), Error);
}

TEST(Tile, RepeatsAlongEveryAxis) {
  const Tensor output = run_one("y = Tile(a, b)", {numbered_tensor({1, 2}), int64s({2, 2})});
  EXPECT_EQ(output.shape(), (Shape{2, 4}));
  EXPECT_THAT(test::values(output), testing::ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_THROW(run_one("y = Tile(a, b)", {numbered_tensor({1, 2}), int64s({2})}), Error);
}

TEST(SpaceDepth, SwapsBlocksAndBack) {
  const Tensor input = numbered_tensor({2, 8, 3, 5});
  const Tensor wide = run_one("y = DepthToSpace<blocksize = 2>(a)", {input});
  ASSERT_EQ(wide.shape(), (Shape{2, 2, 6, 10}));
  for_each_index(wide.shape(), [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    ASSERT_EQ(element_at(wide, {n, c, h, w}), element_at(input, {n, (h % 2 * 2 + w % 2) * 2 + c, h / 2, w / 2}));
  });
  EXPECT_EQ(test::values(run_one("y = SpaceToDepth<blocksize = 2>(a)", {wide})), test::values(input));
  const Tensor other = run_one("y = DepthToSpace<blocksize = 2, mode = \"CRD\">(a)", {input});
  EXPECT_EQ(element_at(other, {1, 1, 3, 4}), element_at(input, {1, 1 * 4 + 1 * 2 + 0, 1, 2}));
  EXPECT_EQ(test::values(run_one("y = SpaceToDepth<blocksize = 2, mode = \"CRD\">(a)", {other}, {28})),
            test::values(input));
  EXPECT_THROW(run_one("y = SpaceToDepth<blocksize = 2>(a)", {input}), Error);
}

TEST(GatherElements, PicksElementwiseAlongTheAxis) {
  const Tensor indices = Tensor::from<int64_t>({2, 2}, {0, 0, 1, -2});
  EXPECT_THAT(test::values(run_one("y = GatherElements<axis = 1>(a, b)", {numbered_tensor({2, 2}), indices})),
              testing::ElementsAre(0, 0, 3, 2));
  EXPECT_THROW(run_one("y = GatherElements(a, b)", {numbered_tensor({1, 2}), indices}), Error);
}

TEST(GatherND, PicksSlices) {
  const Tensor indices = Tensor::from<int64_t>({2, 1}, {1, -2});
  EXPECT_THAT(test::values(run_one("y = GatherND(a, b)", {numbered_tensor({2, 3}), indices})),
              testing::ElementsAre(3, 4, 5, 0, 1, 2));
  EXPECT_THAT(test::values(run_one("y = GatherND<batch_dims = 1>(a, b)", {numbered_tensor({2, 3}), indices})),
              testing::ElementsAre(1, 4));
  EXPECT_THROW(run_one("y = GatherND(a, b)", {numbered_tensor({1, 3}), indices}), Error);
}

TEST(Resize, RepeatsPixelsInBothLayouts) {
  const Tensor input = numbered_tensor({2, 3, 4, 5});
  for (const Layout layout : test::kLayouts) {
    const Tensor scales = Tensor::from<float>({4}, {1, 1, 2, 3});
    const Tensor output =
        run_one("y = Resize<coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\">(a, b, c)",
                {input, Tensor(), scales}, {13, layout});
    ASSERT_EQ(output.shape(), (Shape{2, 3, 8, 15}));
    for_each_index(output.shape(), [&](int64_t n, int64_t c, int64_t h, int64_t w) {
      ASSERT_EQ(element_at(output, {n, c, h, w}), element_at(input, {n, c, h / 2, w / 3}));
    });
  }
}

TEST(Resize, InterpolatesBetweenPixelCentresInBothLayouts) {
  const Tensor input = test::ramp({2, 3, 5, 6});
  for (const Layout layout : test::kLayouts) {
    const Tensor output = run_one("y = Resize<mode = \"linear\">(a, b, c, d)",
                                  {input, Tensor(), Tensor(), int64s({2, 3, 9, 4})}, {13, layout});
    ASSERT_EQ(output.shape(), (Shape{2, 3, 9, 4}));
    for_each_index(output.shape(), [&](int64_t n, int64_t c, int64_t h, int64_t w) {
      const double y = std::clamp((static_cast<double>(h) + 0.5) * 5 / 9 - 0.5, 0.0, 4.0),
                   x = std::clamp((static_cast<double>(w) + 0.5) * 6 / 4 - 0.5, 0.0, 5.0);
      const auto y0 = static_cast<int64_t>(y), x0 = static_cast<int64_t>(x);
      const int64_t y1 = std::min<int64_t>(y0 + 1, 4), x1 = std::min<int64_t>(x0 + 1, 5);
      const double fy = y - static_cast<double>(y0), fx = x - static_cast<double>(x0);
      const double top = (1 - fx) * element_at(input, {n, c, y0, x0}) + fx * element_at(input, {n, c, y0, x1});
      const double bottom = (1 - fx) * element_at(input, {n, c, y1, x0}) + fx * element_at(input, {n, c, y1, x1});
      // coordinates up to 5 in float: the weights are off by 5 * 2^-23, the pixels reach 3
      ASSERT_NEAR(static_cast<double>(element_at(output, {n, c, h, w})), (1 - fy) * top + fy * bottom, 1e-5);
    });
  }
}

TEST(Resize, RefusesUnknownModesBeforeItRuns) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float a, float b) => (float y) { y = Resize<mode = "
      "\"lanczos\">(a, b, b) }");
  const NodeId node = NodeId{0};
  EXPECT_THAT(find_unsupported(model.graph(), std::span(&node, 1)).at(0).reason, testing::HasSubstr("lanczos"));
}

TEST(Upsample, ReadsItsScalesFromAttributeOrInput) {
  const Tensor input = numbered_tensor({1, 1, 1, 2});
  EXPECT_THAT(test::values(run_one("y = Upsample<scales = [1.0, 1.0, 1.0, 2.0]>(a)", {input}, {7})),
              testing::ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(test::values(run_one("y = Upsample(a, b)", {input, Tensor::from<float>({4}, {1, 1, 1, 2})}, {9})),
              testing::ElementsAre(0, 0, 1, 1));
}

}  // namespace
}  // namespace detent
