#include "evaluate/decoded_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace detent {
namespace {

/// Clips of ten words each, of which so many are wrong.
std::vector<TextErrors> clips(const std::vector<uint64_t>& wrong) {
  std::vector<TextErrors> all;
  for (const uint64_t words : wrong) all.push_back({.words = 10, .wrong_words = words});
  return all;
}

TEST(DecodedTexts, HaveTheErrorOfAWordWhereTheirErrorsAreTheSame) {
  const std::vector<TextErrors> same = clips({1, 0, 2, 0});
  EXPECT_NEAR(error_of_rise(same, same), std::sqrt(2.0) / 40, 1e-12);
}

/// Rises of 1, -1, 1 and -1 words in ten: their mean has a standard error of the root of 4 / 3 over 4, in tenths.
TEST(DecodedTexts, HaveTheErrorOfPairedClips) {
  const double pairs = 0.1 * std::sqrt(4.0 / 3 / 4);
  EXPECT_NEAR(error_of_rise(clips({1, 1, 1, 1}), clips({2, 0, 2, 0})), std::hypot(pairs, std::sqrt(2.0) / 40), 1e-9);
  EXPECT_LT(error_of_rise(clips({1, 5, 0, 9}), clips({2, 6, 1, 10})), pairs) << "clips that all lose a word";
  EXPECT_FALSE(std::isfinite(error_of_rise(clips({1}), clips({2})))) << "one clip tells no error";
}

}  // namespace
}  // namespace detent
