// samples_by_hash() with samples that are always wanted, and samples_without().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "run/named_samples.h"
#include "run/sample_subset.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using test::NamedSamples;
using test::numbered;

using NameList = std::vector<std::string>;

NameList chosen_names(const NameList& names, size_t count, const std::set<std::string>& always) {
  const NamedSamples source(names);
  NameList found;
  for (const size_t i : samples_by_hash(source, count, always)) found.push_back(names.at(i));
  return found;
}

/// Returns all names in the order of their hashes.
NameList by_hash(const NameList& names) { return chosen_names(names, names.size(), {}); }

TEST(SamplesThatAreAlwaysWanted, FollowTheOthersInTheOrderOfTheirHashes) {
  const NameList names = numbered(50);
  const NameList order = by_hash(names);
  const NameList found = chosen_names(names, 4, {order[40], order[9], order[23]});
  EXPECT_THAT(found, ElementsAre(order[0], order[1], order[2], order[3], order[9], order[23], order[40]));
}

TEST(SamplesThatAreAlwaysWanted, AreNotTakenTwice) {
  const NameList names = numbered(50);
  const NameList order = by_hash(names);
  EXPECT_THAT(chosen_names(names, 3, {order[1], order[30]}), ElementsAre(order[0], order[1], order[2], order[30]));
  EXPECT_EQ(chosen_names(names, 50, {order[1], order[30]}), order);
}

TEST(SamplesThatAreAlwaysWanted, AreTheSameHoweverTheSourceIsOrdered) {
  NameList names = numbered(80);
  const NameList order = by_hash(names);
  const std::set<std::string> always{order[70], order[33], order[2]};
  const NameList expected = chosen_names(names, 10, always);
  std::ranges::reverse(names);
  EXPECT_EQ(chosen_names(names, 10, always), expected);
  std::rotate(names.begin(), names.begin() + 31, names.end());
  EXPECT_EQ(chosen_names(names, 10, always), expected);
}

TEST(SamplesThatAreAlwaysWanted, MayBeAllThatIsWanted) {
  EXPECT_THAT(chosen_names({"a", "b", "c"}, 0, {"b"}), ElementsAre("b"));
  EXPECT_THAT(chosen_names({"a", "b", "c"}, 0, {}), IsEmpty());
}

TEST(SamplesThatAreAlwaysWanted, ChangeNothingWhereTheSourceHasNoneOfTheName) {
  const NameList names = numbered(20);
  EXPECT_EQ(chosen_names(names, 5, {"stack.npy[99]", "stack.npy"}), chosen_names(names, 5, {}));
  EXPECT_THAT(chosen_names({}, 5, {"a"}), IsEmpty());
}

TEST(SamplesThatAreAlwaysWanted, AreAllOfOneName) {
  const NamedSamples source({"a", "b", "a"});
  EXPECT_THAT(samples_by_hash(source, 0, {"a"}), ElementsAre(0, 2)) << "equal names: in the order of the source";
}

TEST(SamplesWithout, AreTheOthersInTheirOrder) {
  const NamedSamples source({"a", "b", "c", "b", "d"});
  EXPECT_THAT(samples_without(source, {"b", "d"}), ElementsAre(0, 2));
  EXPECT_THAT(samples_without(source, {"x"}), ElementsAre(0, 1, 2, 3, 4));
}

TEST(SamplesWithout, NamesAreAllAndWithoutAllNamesAreNone) {
  const NamedSamples source({"a", "b"});
  EXPECT_THAT(samples_without(source, {}), ElementsAre(0, 1));
  EXPECT_THAT(samples_without(source, {"a", "b"}), IsEmpty());
  EXPECT_THAT(samples_without(NamedSamples({}), {"a"}), IsEmpty());
}

}  // namespace
}  // namespace detent
