#include "report/text/columns.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

TEST(Padded, CountsBytesAndNeverCuts) {
  EXPECT_EQ(padded("conv", 6), "conv  ");
  EXPECT_EQ(padded("conv", 4), "conv");
  EXPECT_EQ(padded("conv", 2), "conv");
  EXPECT_EQ(padded("\u00e9", 3), "\u00e9 ");  // two bytes
}

}  // namespace
}  // namespace detent
