#include <gtest/gtest.h>

#include <vector>

#include "ops/kernel.h"

namespace detent {
namespace {

TEST(Workspace, KeepsAnObjectForEachOwner) {
  Workspace workspace;
  const OwnerNumber one, other;
  workspace.kept<std::vector<int>>(one).push_back(1);
  EXPECT_EQ(workspace.kept<std::vector<int>>(one), std::vector{1});
  EXPECT_TRUE(workspace.kept<std::vector<int>>(other).empty());
  Workspace second;
  EXPECT_TRUE(second.kept<std::vector<int>>(one).empty()) << "another worker";
}

TEST(OwnerNumber, IsNotThatOfACopy) {
  const OwnerNumber one;
  OwnerNumber copied = one;
  EXPECT_NE(one.value(), copied.value());
  const uint64_t before = copied.value();
  copied = one;
  EXPECT_EQ(copied.value(), before);
}

}  // namespace
}  // namespace detent
