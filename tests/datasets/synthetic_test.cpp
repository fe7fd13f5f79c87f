#include "datasets/synthetic.h"

#include <gmock/gmock.h>

#include <cmath>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

const std::vector<InputSpec> kRandomImage{float_input("x", {-1, 3, 32, 32})};

TEST(RandomBits, DrawTheSameNumbersOnEveryMachine) {
  RandomBits bits(1);  // first outputs of SplitMix64 for seed 1, from its published definition evaluated by hand
  EXPECT_EQ(bits(), 0x910a2dec89025cc1u);
  EXPECT_EQ(bits(), 0xbeeb8da1658eec67u);
}

TEST(RandomBits, BelowStaysBelow) {
  RandomBits bits(3);
  int counts[3] = {};
  for (int i = 0; i < 3000; ++i) ++counts[bits.below(3)];
  for (const int count : counts)
    EXPECT_NEAR(count, 1000, 130) << "five standard deviations of a binomial, sqrt(3000 * 2 / 9) = 26";
}

TEST(Synthetic, NormalHasMeanZeroAndVarianceOne) {
  const Tensor values = open_data(data({"random:normal,n=1"}), kRandomImage)->read(0).inputs[0];
  ASSERT_EQ(values.shape(), (Shape{1, 3, 32, 32}));
  double sum = 0;
  double squares = 0;
  for (const float value : values.data<float>()) {
    sum += value;
    squares += static_cast<double>(value) * value;
    EXPECT_LE(std::abs(value), 6);
  }
  // Tolerance: with 3072 elements the standard error of the mean is 1/sqrt(3072) = .018, of the variance about
  // sqrt(2/3072) = .026; five of them.
  EXPECT_NEAR(sum / 3072, 0, .09);
  EXPECT_NEAR(squares / 3072, 1, .13);
}

TEST(Synthetic, UniformStaysInTheUnitInterval) {
  const Tensor values = open_data(data({"random:uniform,n=1,seed=9"}), kRandomImage)->read(0).inputs[0];
  double sum = 0;
  for (const float value : values.data<float>()) {
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 3072, .5, .026) << "five standard errors of sqrt(1/12/3072)";
}

TEST(Synthetic, DependsOnSeedSampleAndInputOnly) {
  const std::vector<InputSpec> inputs{float_input("x", {1, 8}), float_input("y", {1, 8})};
  const auto first = open_data(data({"random:normal,n=4,seed=5"}), inputs);
  const auto again = open_data(data({"random:normal,n=9,seed=5"}), inputs);
  const auto other = open_data(data({"random:normal,n=4,seed=6"}), inputs);
  EXPECT_EQ(floats_of(first->read(2).inputs[1]), floats_of(again->read(2).inputs[1]));
  EXPECT_NE(floats_of(first->read(2).inputs[0]), floats_of(first->read(2).inputs[1]));
  EXPECT_NE(floats_of(first->read(2).inputs[0]), floats_of(first->read(1).inputs[0]));
  EXPECT_NE(floats_of(first->read(2).inputs[0]), floats_of(other->read(2).inputs[0]));
  EXPECT_EQ(open_data(data({"random:normal"}), inputs)->size(), 32U);
}

TEST(Synthetic, GivesIntegersZeroOrOne) {
  const std::vector<InputSpec> inputs{{"tokens", DataType::Int64, {-1, 64}}};
  const Tensor tokens = open_data(data({"random:normal,n=1"}), inputs)->read(0).inputs[0];
  int ones = 0;
  for (const int64_t token : tokens.data<int64_t>()) {
    EXPECT_TRUE(token == 0 || token == 1);
    ones += static_cast<int>(token);
  }
  EXPECT_GT(ones, 10);
  EXPECT_LT(ones, 54);
}

TEST(Synthetic, RefusesWhatItCannotDraw) {
  const auto error = [](const std::string& source, const std::vector<InputSpec>& inputs) {
    return error_of<Error>([&] { static_cast<void>(open_data(data({source}), inputs)); });
  };
  for (const char* source :
       {"random:cauchy", "random:", "random:normal,n=x", "random:normal,n=0", "random:normal,size=3"})
    EXPECT_EQ(error(source, kRandomImage).code(), ErrorCode::Usage) << source;
  EXPECT_THAT(error("random:cauchy", kRandomImage).what(), HasSubstr("cauchy"));
  EXPECT_EQ(error("random:normal", {float_input("x", {-1, 3, -1, -1})}).code(), ErrorCode::InvalidOption);
}

}  // namespace
}  // namespace detent
