#include "report/quantities.h"

#include <gtest/gtest.h>

#include "report/build/sections.h"

namespace detent {
namespace {

TEST(Plural, IsForAllButOne) {
  EXPECT_EQ(plural(0, "sample"), "0 samples");
  EXPECT_EQ(plural(1, "sample"), "1 sample");
  EXPECT_EQ(plural(2, "sample"), "2 samples");
}

TEST(PercentText, SaysHundredOnlyWhenItIs) {
  EXPECT_EQ(percent_text(1.0), "100 %");
  EXPECT_EQ(percent_text(0.99999), "99.9 %");
  EXPECT_EQ(percent_text(0.5), "50.0 %");
  EXPECT_EQ(percent_text(1.0, 2), "100 %");
  EXPECT_EQ(percent_text(0.99999, 2), "99.99 %");
}

TEST(PercentText, RoundsToTheNearest) {
  EXPECT_EQ(percent_text(0.8996), "90.0 %");
  EXPECT_EQ(percent_text(0.8994), "89.9 %");
  EXPECT_EQ(percent_text(0.12346, 2), "12.35 %");
  EXPECT_EQ(percent_text(0), "0.0 %");
}

TEST(BytesText, ChoosesTheUnit) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1938172), "1.9 MB");
}

TEST(CoverageWords, LeavesOutTheShareOfMacsThatWereNotCounted) {
  CoverageReport coverage{.layers = 18, .int8_layers = 14};
  EXPECT_EQ(document::plain_text(build::coverage_words(coverage)), "14 of 18 weighted layers INT8");
  coverage.macs = 1000;
  coverage.int8_macs = 954;
  EXPECT_EQ(document::plain_text(build::coverage_words(coverage)), "14 of 18 weighted layers INT8 (95.4 % of MACs)");
}

}  // namespace
}  // namespace detent
