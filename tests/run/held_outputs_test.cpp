#include "run/held_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace detent {
namespace {

using ::testing::ElementsAre;

constexpr size_t kNumbers = 256, kBytes = kNumbers * sizeof(float);
using One = std::array<size_t, 1>;
const Digest kOne{1, 0}, kOther{2, 0}, kThird{3, 0};

std::vector<Tensor> values(float number) {
  return {Tensor::from<float>({kNumbers}, std::vector<float>(kNumbers, number))};
}

/// Returns the first number of what is kept; nullopt: nothing.
std::optional<float> kept(HeldOutputs& outputs, const Digest& part, size_t sample) {
  const auto found = outputs.find(part, One{sample});
  return found ? std::optional(found->front().data<float>()[0]) : std::nullopt;
}

TEST(HeldOutputs, AreFoundByPartAndSample) {
  HeldOutputs outputs(8 * kBytes);
  outputs.keep(kOne, One{3}, values(1));
  outputs.keep(kOther, One{3}, values(2));
  EXPECT_EQ(kept(outputs, kOne, 3), 1);
  EXPECT_EQ(kept(outputs, kOther, 3), 2);
  EXPECT_EQ(kept(outputs, kOne, 4), std::nullopt) << "another sample";
  EXPECT_EQ(kept(outputs, kThird, 3), std::nullopt) << "another part";
  EXPECT_FALSE(outputs.find(kOne, std::array<size_t, 2>{3, 4})) << "beside another sample";
}

TEST(HeldOutputs, ForgetThePartThatWasNotAskedForLongest) {
  HeldOutputs outputs(3 * kBytes);
  outputs.keep(kOne, One{0}, values(1));
  outputs.keep(kOther, One{0}, values(2));
  EXPECT_EQ(kept(outputs, kOne, 0), 1);
  outputs.keep(kThird, One{0}, values(3));
  outputs.keep(kThird, One{1}, values(4));
  EXPECT_EQ(kept(outputs, kOther, 0), std::nullopt);
  EXPECT_EQ(kept(outputs, kOne, 0), 1) << "it was asked for";
  EXPECT_EQ(kept(outputs, kThird, 1), 4);
}

TEST(HeldOutputs, KeepOfOnePartWhatFits) {
  HeldOutputs outputs(2 * kBytes);
  for (size_t sample = 0; sample < 4; ++sample) outputs.keep(kOne, One{sample}, values(1));
  std::vector<bool> found;
  for (size_t sample = 0; sample < 4; ++sample) found.push_back(kept(outputs, kOne, sample).has_value());
  EXPECT_THAT(found, ElementsAre(true, true, false, false));
}

}  // namespace
}  // namespace detent
