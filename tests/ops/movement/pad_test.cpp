// Pad's modes and amounts; tests/ops/movement_test.cpp has it in both layouts.
#include <numeric>

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::int64s;
using test::run_one;

/// 0, 1, 2 ...
Tensor numbered(int64_t count) {
  Tensor tensor(DataType::Float32, {count});
  std::iota(tensor.mutable_data<float>().begin(), tensor.mutable_data<float>().end(), 0.0F);
  return tensor;
}

TEST(Pad, KnowsEveryMode) {
  const Tensor input = numbered(3);
  const auto padded = [&](const std::string& mode, int opset) {
    return test::values(run_one("y = Pad<mode = \"" + mode + "\">(a, b)", {input, int64s({2, 1})}, {opset}));
  };
  EXPECT_THAT(padded("constant", 13), testing::ElementsAre(0, 0, 0, 1, 2, 0));
  EXPECT_THAT(padded("reflect", 13), testing::ElementsAre(2, 1, 0, 1, 2, 1));
  EXPECT_THAT(padded("edge", 13), testing::ElementsAre(0, 0, 0, 1, 2, 2));
  EXPECT_THAT(padded("wrap", 19), testing::ElementsAre(1, 2, 0, 1, 2, 0));
  EXPECT_THROW(padded("mirror", 13), Error);
}

TEST(Pad, CropsWithNegativeAmountsAndReadsOldAttributes) {
  EXPECT_THAT(test::values(run_one("y = Pad(a, b)", {numbered(4), int64s({-1, 1})})), testing::ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(test::values(run_one("y = Pad<pads = [1, 0], value = 9.0>(a)", {numbered(2)}, {7})),
              testing::ElementsAre(9, 0, 1));
  const Tensor some =
      run_one("y = Pad(a, b, c, d)", {numbered(4).reshaped({2, 2}), int64s({1, 0}), Tensor(), int64s({-1})}, {18});
  EXPECT_THAT(test::values(some), testing::ElementsAre(0, 0, 1, 0, 2, 3));
}

TEST(Pad, FillsFromWhatIsLeftAfterCropping) {
  const auto padded = [](const std::string& mode, const std::vector<int64_t>& pads) {
    return test::values(run_one("y = Pad<mode = \"" + mode + "\">(a, b)", {numbered(4), int64s(pads)}, {19}));
  };
  EXPECT_THAT(padded("wrap", {-1, 2}), testing::ElementsAre(1, 2, 3, 1, 2));
  EXPECT_THAT(padded("wrap", {2, -1}), testing::ElementsAre(1, 2, 0, 1, 2));
  EXPECT_THAT(padded("reflect", {3, -1}), testing::ElementsAre(1, 2, 1, 0, 1, 2));
  EXPECT_THAT(padded("edge", {1, -2}), testing::ElementsAre(0, 0, 1));
}

}  // namespace
}  // namespace detent
