// Operators that pick, order, count and mask elements.

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::integers;
using test::run_node;
using test::run_one;
using test::values;
using testing::ElementsAre;

/// Returns element (o, k, i) of a tensor seen as outer x extent x inner.
float selected_at(const Tensor& tensor, int64_t o, int64_t k, int64_t i, int64_t extent, int64_t inner) {
  return tensor.data<float>()[static_cast<size_t>((o * extent + k) * inner + i)];
}

TEST(ArgMax, EqualsTheNaiveLoopOverEveryAxis) {
  const Tensor input = test::ramp({3, 4, 5});
  for (int64_t axis = 0; axis < 3; ++axis) {
    const Shape& shape = input.shape();
    const int64_t outer = shape.element_count(0, static_cast<size_t>(axis)), extent = shape[static_cast<size_t>(axis)];
    const int64_t inner = shape.element_count(static_cast<size_t>(axis) + 1, 3);
    std::vector<int64_t> largest, smallest;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        int64_t high = 0, low = 0;
        for (int64_t k = 0; k < extent; ++k) {
          if (selected_at(input, o, k, i, extent, inner) > selected_at(input, o, high, i, extent, inner)) high = k;
          if (selected_at(input, o, k, i, extent, inner) < selected_at(input, o, low, i, extent, inner)) low = k;
        }
        largest.push_back(high);
        smallest.push_back(low);
      }
    const std::string options = "<axis = " + std::to_string(axis - 3) + ", keepdims = 0>(a)";
    EXPECT_EQ(integers(run_one("y = ArgMax" + options, {input})), largest);
    EXPECT_EQ(integers(run_one("y = ArgMin" + options, {input})), smallest);
  }
}

TEST(ArgMax, TakesTheFirstOfEqualOnesUnlessAskedForTheLast) {
  const Tensor input = Tensor::from<int32_t>({1, 4}, {2, 7, 7, 1});
  EXPECT_THAT(integers(run_one("y = ArgMax<axis = 1>(a)", {input})), ElementsAre(1));
  EXPECT_THAT(integers(run_one("y = ArgMax<axis = 1, select_last_index = 1>(a)", {input})), ElementsAre(2));
}

TEST(ArgMax, RefusesAnEmptyAxis) {
  EXPECT_THROW(run_one("y = ArgMax<axis = 1>(a)", {Tensor(DataType::Float32, {2, 0})}), Error);
  EXPECT_EQ(run_one("y = ArgMax<axis = 1>(a)", {Tensor(DataType::Float32, {0, 3})}).element_count(), 0);
}

TEST(GatherElements, EqualsTheDefinitionAlongEveryAxis) {
  const Tensor input = test::ramp({3, 4, 5});
  const std::vector<float> in = values(input);
  for (const int64_t axis : {0, 1, 2}) {
    Shape to{2, 3, 4};  // smaller than the data
    to[static_cast<size_t>(axis)] = 6;
    std::vector<int64_t> indices;
    std::vector<float> expected;
    for (int64_t i = 0; i < to.element_count(); ++i) {
      std::array<int64_t, 3> place{i / (to[1] * to[2]), i / to[2] % to[1], i % to[2]};
      const int64_t extent = input.shape()[static_cast<size_t>(axis)], index = i * 7 % (2 * extent) - extent;
      indices.push_back(index);
      place[static_cast<size_t>(axis)] = (index + extent) % extent;
      expected.push_back(in[static_cast<size_t>((place[0] * 4 + place[1]) * 5 + place[2])]);
    }
    const Tensor wide = Tensor::from<int64_t>(to, indices);
    const std::string node = "y = GatherElements<axis = " + std::to_string(axis) + ">(a, b)";
    EXPECT_EQ(values(run_one(node, {input, wide})), expected) << node;
    EXPECT_EQ(values(run_one(node, {input, cast(wide, DataType::Int32)})), expected) << node;
  }
  const Tensor outside = Tensor::from<int64_t>({1, 1, 1}, {5});
  EXPECT_THROW(run_one("y = GatherElements<axis = 1>(a, b)", {input, outside}), Error);
}

TEST(TopK, IsTheHeadOfAStableSort) {
  const Tensor input = cast(test::ramp({4, 9}, -4, 4), DataType::Int32);  // many equal values
  for (const bool largest : {true, false}) {
    const std::string node = std::string("y, y1 = TopK<largest = ") + (largest ? "1" : "0") + ">(a, b)";
    const auto outputs = run_node(node, {input, test::int64s({5})}, {.opset = 11, .outputs = 2});
    std::vector<int64_t> expected_values, expected_indices;
    const std::vector<int64_t> numbers = integers(input);
    for (size_t row = 0; row < 4; ++row) {
      std::vector<int64_t> order(9);
      std::iota(order.begin(), order.end(), 0);
      const auto value = [&](int64_t i) { return numbers[row * 9 + static_cast<size_t>(i)]; };
      std::ranges::stable_sort(
          order, [&](int64_t a, int64_t b) { return largest ? value(a) > value(b) : value(a) < value(b); });
      for (size_t i = 0; i < 5; ++i) {
        expected_indices.push_back(order[i]);
        expected_values.push_back(value(order[i]));
      }
    }
    EXPECT_EQ(integers(outputs[0]), expected_values);
    EXPECT_EQ(integers(outputs[1]), expected_indices);
  }
}

TEST(TopK, OfALongLineIsTheHeadOfAStableSortToo) {
  constexpr int64_t kCount = 3000;
  const Tensor input = cast(test::ramp({2, kCount}, -40, 40), DataType::Int32);  // each number some 40 times
  for (const char* largest : {"1", "0"})
    for (const int64_t k : {1, 7, 700}) {
      const std::vector<int64_t> numbers = integers(input);
      const std::string node = std::string("y, y1 = TopK<largest = ") + largest + ">(a, b)";
      const auto outputs = run_node(node, {input, test::int64s({k})}, {.opset = 11, .outputs = 2});
      for (size_t row = 0; row < 2; ++row) {
        std::vector<int64_t> order(kCount);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](int64_t i) {
          return numbers[row * kCount + static_cast<size_t>(i)] * (*largest == '1' ? -1 : 1);
        });
        order.resize(static_cast<size_t>(k));
        const auto all = integers(outputs[1]);
        const auto begin = all.begin() + static_cast<int64_t>(row) * k;
        EXPECT_EQ(std::vector(begin, begin + k), order) << node << k;
      }
    }
}

TEST(TopK, TakesKFromTheAttributeBeforeOpset10) {
  const Tensor input = Tensor::from<float>({2, 3}, {1, 3, 2, 6, 5, 4});
  EXPECT_THAT(values(run_node("y, y1 = TopK<axis = 0, k = 1>(a)", {input}, {.opset = 9, .outputs = 2})[0]),
              ElementsAre(6, 5, 4));
}

TEST(TopK, PutsNotANumberFirstAndRefusesMoreThanThereIs) {
  const Tensor input = Tensor::from<float>({3}, {1, NAN, 2});
  const auto outputs = run_node("y, y1 = TopK(a, b)", {input, test::int64s({2})}, {.opset = 11, .outputs = 2});
  EXPECT_THAT(integers(outputs[1]), ElementsAre(1, 2));
  EXPECT_THROW(run_node("y, y1 = TopK(a, b)", {input, test::int64s({4})}, {.opset = 11, .outputs = 2}), Error);
}

TEST(CumSum, GoesBothWaysWithAndWithoutTheElementItself) {
  const Tensor input = Tensor::from<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor axis = Tensor::scalar<int32_t>(-1);
  EXPECT_THAT(integers(run_one("y = CumSum(a, b)", {input, axis})), ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(integers(run_one("y = CumSum<exclusive = 1>(a, b)", {input, axis})), ElementsAre(0, 1, 3, 0, 4, 9));
  EXPECT_THAT(integers(run_one("y = CumSum<reverse = 1>(a, b)", {input, axis})), ElementsAre(6, 5, 3, 15, 11, 6));
  EXPECT_THAT(integers(run_one("y = CumSum<reverse = 1, exclusive = 1>(a, b)", {input, Tensor::scalar<int64_t>(0)})),
              ElementsAre(4, 5, 6, 0, 0, 0));
  EXPECT_THAT(integers(run_one("y = CumProd(a, b)", {input, axis}, {.opset = 26})), ElementsAre(1, 2, 6, 4, 20, 120));
  EXPECT_THROW(run_one("y = CumSum(a, b)", {input, Tensor::scalar<int64_t>(2)}), Error);
}

TEST(Trilu, KeepsOneSideOfADiagonal) {
  const Tensor input = test::ramp({2, 3, 4}, 1, 2);  // nowhere 0
  for (const bool upper : {true, false})
    for (int64_t k = -4; k <= 5; ++k) {
      std::vector<float> expected;
      for (int64_t n = 0; n < 2; ++n)
        for (int64_t r = 0; r < 3; ++r)
          for (int64_t c = 0; c < 4; ++c)
            expected.push_back((upper ? c >= r + k : c <= r + k) ? selected_at(input, n, r, c, 3, 4) : 0);
      const std::string node = std::string("y = Trilu<upper = ") + (upper ? "1" : "0") + ">(a, b)";
      EXPECT_EQ(values(run_one(node, {input, Tensor::scalar(k)}, {.opset = 14})), expected);
    }
  EXPECT_THROW(run_one("y = Trilu(a)", {test::ramp({3})}, {.opset = 14}), Error);
}

TEST(OneHot, LeavesIndicesOutsideTheDepthCold) {
  const Tensor indices = test::int64s({0, -1, 3, -4});
  const Tensor depth = Tensor::scalar<int64_t>(3), off_on = Tensor::from<float>({2}, {-1, 9});
  EXPECT_THAT(values(run_one("y = OneHot(a, b, c)", {indices, depth, off_on})),
              ElementsAre(9, -1, -1, -1, -1, 9, -1, -1, -1, -1, -1, -1));
  EXPECT_EQ(run_one("y = OneHot<axis = 0>(a, b, c)", {indices, depth, off_on}).shape(), (Shape{3, 4}));
  EXPECT_THROW(run_one("y = OneHot<axis = 2>(a, b, c)", {indices, depth, off_on}), Error);
}

TEST(ArgMax, TakesNaNForTheExtreme) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor input = Tensor::from<float>({5}, {1, nan, 5, nan, -2});
  EXPECT_THAT(integers(run_one("y = ArgMax(a)", {input})), ElementsAre(1));
  EXPECT_THAT(integers(run_one("y = ArgMin(a)", {input})), ElementsAre(1));
  EXPECT_THAT(integers(run_one("y = ArgMax<select_last_index = 1>(a)", {input})), ElementsAre(3));
  EXPECT_THAT(integers(run_one("y = ArgMin(a)", {Tensor::from<float>({3}, {1, 5, -2})})), ElementsAre(2));
}

TEST(NonZero, ListsOneColumnAnElement) {
  const Tensor input = Tensor::from<float>({2, 2}, {0, 3, -0.0F, 4});
  const Tensor output = run_one("y = NonZero(a)", {input});
  EXPECT_EQ(output.shape(), (Shape{2, 2}));
  EXPECT_THAT(integers(output), ElementsAre(0, 1, 1, 1));
  EXPECT_EQ(run_one("y = NonZero(a)", {Tensor(DataType::Int32, {3, 0, 2})}).shape(), (Shape{3, 0}));
  EXPECT_EQ(run_one("y = NonZero(a)", {Tensor::scalar(3.0F)}).shape(), (Shape{0, 1}));
  EXPECT_EQ(run_one("y = NonZero(a)", {Tensor::scalar(0.0F)}).shape(), (Shape{0, 0}));
}

TEST(EyeLike, PlacesOnesOnADiagonal) {
  const Tensor input = test::ramp({2, 3});
  EXPECT_THAT(values(run_one("y = EyeLike<k = 1>(a)", {input})), ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_THAT(integers(run_one("y = EyeLike<k = -1, dtype = 7>(a)", {input})), ElementsAre(0, 0, 0, 1, 0, 0));
  EXPECT_EQ(run_one("y = EyeLike<dtype = 10>(a)", {input}).type(), DataType::Float16);
  EXPECT_THROW(run_one("y = EyeLike(a)", {test::ramp({3})}), Error);
}

TEST(ReverseSequence, TurnsTheFirstStepsOfEachSequence) {
  const Tensor input = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(
      values(run_one("y = ReverseSequence<batch_axis = 0, time_axis = 1>(a, b)", {input, test::int64s({2, 3})})),
      ElementsAre(2, 1, 3, 6, 5, 4));
  EXPECT_THAT(values(run_one("y = ReverseSequence(a, b)", {input, test::int64s({1, 2, 0})})),
              ElementsAre(1, 5, 3, 4, 2, 6));
  EXPECT_THROW(run_one("y = ReverseSequence(a, b)", {input, test::int64s({3, 2, 1})}), Error);
}

TEST(Compress, KeepsWhatTheConditionHolds) {
  const Tensor input = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor condition = Tensor::from<bool>({3}, {true, false, true});
  EXPECT_THAT(values(run_one("y = Compress<axis = -1>(a, b)", {input, condition})), ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(values(run_one("y = Compress(a, b)", {input, condition})), ElementsAre(1, 3));  // a short condition
  EXPECT_EQ(run_one("y = Compress<axis = 0>(a, b)", {input, Tensor::from<bool>({1}, {false})}).shape(), (Shape{0, 3}));
  EXPECT_THROW(run_one("y = Compress<axis = 0>(a, b)", {input, condition}), Error);
}

TEST(Unique, NamesFirstPlacesGroupsAndCounts) {
  const Tensor input = Tensor::from<float>({6}, {2, 1, 1, 3, 4, 3});
  const test::NodeOptions options{.opset = 11, .outputs = 4};
  auto outputs = run_node("y, y1, y2, y3 = Unique(a)", {input}, options);
  EXPECT_THAT(values(outputs[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(integers(outputs[1]), ElementsAre(1, 0, 3, 4));
  EXPECT_THAT(integers(outputs[2]), ElementsAre(1, 0, 0, 2, 3, 2));
  EXPECT_THAT(integers(outputs[3]), ElementsAre(2, 1, 2, 1));
  outputs = run_node("y, y1, y2, y3 = Unique<sorted = 0>(a)", {input}, options);
  EXPECT_THAT(values(outputs[0]), ElementsAre(2, 1, 3, 4));
  EXPECT_THAT(integers(outputs[2]), ElementsAre(0, 1, 1, 2, 3, 2));
}

TEST(Unique, TakesAllNaNForOneValueBehindTheNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor input = Tensor::from<float>({5}, {1, nan, 0, nan, 1});
  const auto outputs = run_node("y, y1, y2, y3 = Unique(a)", {input}, {.opset = 11, .outputs = 4});
  EXPECT_THAT(values(outputs[0]), ElementsAre(0, 1, testing::IsNan()));
  EXPECT_THAT(integers(outputs[1]), ElementsAre(2, 0, 1));
  EXPECT_THAT(integers(outputs[2]), ElementsAre(1, 2, 0, 2, 1));
  EXPECT_THAT(integers(outputs[3]), ElementsAre(1, 2, 2));
}

TEST(Unique, ComparesWholeSlicesAlongAnAxis) {
  const Tensor input = Tensor::from<int8_t>({3, 2}, {1, 0, 1, 0, 0, 5});
  const auto outputs = run_node("y, y1, y2, y3 = Unique<axis = 0>(a)", {input}, {.opset = 11, .outputs = 4});
  EXPECT_EQ(outputs[0].shape(), (Shape{2, 2}));
  EXPECT_THAT(integers(outputs[0]), ElementsAre(0, 5, 1, 0));
  EXPECT_THAT(integers(outputs[2]), ElementsAre(1, 1, 0));
  EXPECT_THROW(run_node("y = Unique<axis = 2>(a)", {input}, {.opset = 11}), Error);
}

}  // namespace
}  // namespace detent
