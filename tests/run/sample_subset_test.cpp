#include "run/sample_subset.h"
#include "run/named_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "detent/base/data_source.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Names = test::NamedSamples;
using test::numbered;

std::vector<std::string> chosen(const DataSource& source, size_t count) {
  std::vector<std::string> names;
  for (const size_t i : samples_by_hash(source, count)) names.push_back(source.sample_name(i));
  return names;
}

TEST(SamplesByHash, AreTheSameInTheSameOrderHoweverTheSourceIsOrdered) {
  std::vector<std::string> names = numbered(200);
  const auto expected = chosen(Names(names), 32);
  EXPECT_THAT(expected, SizeIs(32));
  std::reverse(names.begin(), names.end());
  EXPECT_EQ(chosen(Names(names), 32), expected);
  std::rotate(names.begin(), names.begin() + 77, names.end());
  EXPECT_EQ(chosen(Names(names), 32), expected);
}

TEST(SamplesByHash, DependOnTheNames) {
  std::vector<std::string> names = numbered(200);
  const auto before = chosen(Names(names), 32);
  for (std::string& name : names) name = "other/" + name;
  const auto after = chosen(Names(names), 32);
  EXPECT_NE("other/" + before.front(), after.front());
}

TEST(SamplesByHash, HaveTheSmallestHashes) {
  const Names source(numbered(100));
  std::multiset<uint64_t> hashes;
  for (size_t i = 0; i < source.size(); ++i) hashes.insert(hash_of_name(source.sample_name(i)));
  auto smallest = hashes.begin();
  for (const std::string& name : chosen(source, 10)) EXPECT_EQ(hash_of_name(name), *smallest++);
}

TEST(SamplesByHash, SpreadOverASortedDataSet) {
  // 1000 names by class: of 32 drawn at random 3.2 are of each of ten classes, and one that gets none comes about in 35
  // % of draws; more than four such would come about in less than 1 of 10^6.
  std::vector<std::string> names;
  for (int label = 0; label < 10; ++label)
    for (int i = 0; i < 100; ++i) names.push_back("class" + std::to_string(label) + "/" + std::to_string(i) + ".jpg");
  std::set<char> classes;
  for (const std::string& name : chosen(Names(names), 32)) classes.insert(name[5]);
  EXPECT_GE(classes.size(), 6U);
}

TEST(SamplesByHash, AreAllOfASmallSource) {
  EXPECT_THAT(chosen(Names(numbered(3)), 32), SizeIs(3));
  EXPECT_THAT(chosen(Names({}), 32), IsEmpty());
}

TEST(SampleSubset, KeepsNamesAndIndicesOfItsSource) {
  const Names source({"a", "b", "c"});
  const SampleSubset subset(source, {2, 0});
  EXPECT_EQ(subset.size(), 2U);
  EXPECT_EQ(subset.sample_name(0), "c");
  EXPECT_EQ(subset.read(0).index, 2U);
}

TEST(ConsecutiveSamples, EndWithTheSource) {
  const Names source({"a", "b", "c"});
  EXPECT_THAT(consecutive_samples(source, 1, 5), ElementsAre(1, 2));
  EXPECT_THAT(consecutive_samples(source, 7, 5), IsEmpty());
  EXPECT_THAT(spread_samples(source, 2), ElementsAre(0, 1)) << "every one and a half";
  EXPECT_THAT(spread_samples(source, 9), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace detent
