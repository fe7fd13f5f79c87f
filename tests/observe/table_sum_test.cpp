#include "observe/table_sum.h"
#include "detent/base/progress.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "detent/base/error.h"
#include "model/temporary_folder.h"
#include "observe/random_tables.h"

namespace detent {
namespace {

CalibrationTable sum(CalibrationTable a, const CalibrationTable& b, const TableMerging& options = {}) {
  merge_into(a, b, options);
  return a;
}

/// Samples 0..11 in four parts of three.
CalibrationTable part(uint32_t index) { return table_of_samples(3 * (index - 1), 3, {4, index}); }

TEST(MergeTables, OfAllShardsIsTheTableOfASingleRun) {
  const std::string whole = table_to_bytes(table_of_samples(0, 12));
  std::vector<uint32_t> order = {1, 2, 3, 4};
  do {
    CalibrationTable total = part(order[0]);
    for (size_t i = 1; i < 4; ++i) merge_into(total, part(order[i]));
    EXPECT_EQ(table_to_bytes(total), whole);
  } while (std::ranges::next_permutation(order).found);
}

TEST(MergeTables, IsAssociative) {
  EXPECT_EQ(sum(sum(part(1), part(2)), sum(part(3), part(4))), sum(part(1), sum(part(2), sum(part(3), part(4)))));
  EXPECT_EQ(sum(part(2), part(4)), sum(part(4), part(2)));
}

TEST(MergeTables, KeepsExtremesOnlyWhereBothHaveThem) {
  const CalibrationTable old = without_extremes(part(2));
  EXPECT_TRUE(sum(part(1), part(2)).has_extremes());
  EXPECT_EQ(sum(part(1), old), without_extremes(sum(part(1), part(2))));
  EXPECT_EQ(sum(old, part(1)), sum(part(1), old));
  EXPECT_EQ(sum(sum(part(1), old), part(3)), sum(part(1), sum(old, part(3))));
  EXPECT_TRUE(sum(part(1), table_of_samples(0, 0, {4, 2})).has_extremes()) << "a shard without samples lacks none";
}

TEST(MergeTables, AddsWhatValuesReachToTheBit) {
  const auto reaching = [](uint32_t index) { return reaching_table_of_samples(3 * (index - 1), 3, {4, index}); };
  const std::string whole = table_to_bytes(reaching_table_of_samples(0, 12));
  EXPECT_EQ(table_to_bytes(sum(sum(reaching(3), reaching(1)), sum(reaching(4), reaching(2)))), whole);
  EXPECT_EQ(sum(reaching(1), reaching_table_of_samples(0, 0, {4, 2})).reaches, reaching(1).reaches);
  EXPECT_EQ(sum(reaching_table_of_samples(0, 0, {4, 2}), reaching(1)).reaches, reaching(1).reaches);
}

TEST(MergeTables, RefusesReachesOfSomeSamplesOnly) {
  for (const bool turned : {false, true}) {
    const CalibrationTable with = reaching_table_of_samples(0, 3, {4, 1}), without = part(2);
    const Error error = error_of<Error>([&] { static_cast<void>(turned ? sum(without, with) : sum(with, without)); });
    EXPECT_EQ(error.code(), ErrorCode::TableMismatch);
    EXPECT_NE(error.hint().find("--float-type"), std::string::npos);
  }
}

TEST(MergeTables, OfSomeShardsIsNotTheWhole) {
  const CalibrationTable some = sum(part(3), part(1));
  EXPECT_EQ(some.shards, (std::vector<TableShard>{{4, 1}, {4, 3}}));
  EXPECT_NE(table_to_bytes(some), table_to_bytes(table_of_samples(0, 6)));
}

std::string refusal_of_sum(const CalibrationTable& a, const CalibrationTable& b) {
  const Error error = error_of<Error>([&] { static_cast<void>(sum(a, b)); });
  EXPECT_EQ(error.code(), ErrorCode::TableMismatch);
  return error.what();
}

TEST(MergeTables, RefusesTheSameShardTwice) {
  EXPECT_NE(refusal_of_sum(part(2), part(2)).find("sample 1003"), std::string::npos);
  EXPECT_NE(refusal_of_sum(sum(part(1), part(2)), part(2)).find("and 2 more"), std::string::npos);
}

TEST(MergeTables, RefusesSamplesInCommonThoughTheShardsDiffer) {
  EXPECT_NE(refusal_of_sum(table_of_samples(0, 6), part(2)).find("count twice"), std::string::npos);
}

TEST(MergeTables, AcceptsEqualNamesWithOtherContent) {
  CalibrationTable other = part(1);
  for (TableSample& sample : other.samples) sample.content.first += 100;
  EXPECT_EQ(sum(part(1), other).samples.size(), 6U);
}

TEST(MergeTables, RefusesATableOfAnotherModel) {
  CalibrationTable other = part(2);
  other.model[0] = 'f';
  EXPECT_NE(refusal_of_sum(part(1), other).find("different models"), std::string::npos);
}

TEST(MergeTables, RefusesOtherValuesAndTargets) {
  CalibrationTable other = part(2);
  other.values["another"];
  EXPECT_NE(refusal_of_sum(part(1), other).find("different values"), std::string::npos);
  other = part(2);
  other.targets = {"tensorrt:10.13"};
  EXPECT_NE(refusal_of_sum(part(1), other).find("every target"), std::string::npos);
}

TEST(MergeTables, RefusesImportedScales) {
  CalibrationTable imported = part(2);
  imported.values["relu"] = {{}, {}, 0.5F};
  EXPECT_NE(refusal_of_sum(part(1), imported).find("imported"), std::string::npos);
}

TEST(MergeTables, RefusesMixedInstructionSetsUnlessAsked) {
  CalibrationTable other = part(2);
  other.instruction_sets = {"avx512_core"};
  EXPECT_NE(refusal_of_sum(part(1), other).find("avx512_core"), std::string::npos);
  const CalibrationTable mixed = sum(part(1), other, {.mixed_instruction_sets = true});
  EXPECT_EQ(mixed.instruction_sets, (std::vector<std::string>{"avx2", "avx512_core"}));
  EXPECT_EQ(mixed, sum(other, part(1), {.mixed_instruction_sets = true}));
}

TEST(MergeTables, KeepsWhatIsMissingFromAPartialShard) {
  const CalibrationTable interrupted = table_of_samples(3, 1, {4, 2, true});
  const CalibrationTable total = sum(sum(sum(part(1), interrupted), part(3)), part(4));
  EXPECT_TRUE(total.partial());
  EXPECT_EQ(total.shards, (std::vector<TableShard>{{4, 1}, {4, 2, true}, {4, 3}, {4, 4}}));
  EXPECT_EQ(total.samples.size(), 10U);
}

TEST(MissingShards, AreNamedAsRangesByCount) {
  using Names = std::vector<std::string>;
  const auto missing = [](std::vector<TableShard> shards) { return missing_shards(united_shards(std::move(shards))); };
  EXPECT_EQ(missing({{1, 1}}), Names{});
  EXPECT_EQ(missing({}), Names{});
  EXPECT_EQ(missing({{2, 2}, {2, 1}}), Names{});
  EXPECT_EQ(missing({{4, 1}, {4, 2}, {4, 4}}), Names{"3/4"});
  EXPECT_EQ(missing({{9, 3}, {9, 7}}), (Names{"1-2/9", "4-6/9", "8-9/9"}));
  EXPECT_EQ(missing({{2, 1}, {2, 2, true}}), Names{"2/2 (interrupted)"});
  EXPECT_EQ(missing({{1, 1, true}}), Names{"1/1 (interrupted)"});
  EXPECT_EQ(missing({{4294967295, 2}}), (Names{"1/4294967295", "3-4294967295/4294967295"}));
}

TEST(UnitedShards, MakesAWholeOfAllPartsHoweverOften) {
  EXPECT_EQ(united_shards({{2, 2}, {2, 1}}), (std::vector<TableShard>{{1, 1}}));
  EXPECT_EQ(united_shards({{2, 2}, {2, 1}, {1, 1}}), (std::vector<TableShard>{{1, 1}}));
  EXPECT_EQ(united_shards({{2, 2}, {2, 1}, {2, 2}}), (std::vector<TableShard>{{1, 1}, {2, 2}}));
  EXPECT_EQ(united_shards({{2, 2, true}, {2, 1}}), (std::vector<TableShard>{{2, 1}, {2, 2, true}}));
  EXPECT_EQ(united_shards({{3, 1}, {2, 2}}), (std::vector<TableShard>{{2, 2}, {3, 1}}));
  EXPECT_TRUE(united_shards({}).empty());
}

}  // namespace
}  // namespace detent
