#include "tune/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/process/early_end.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ChoiceSets, LeaveOut) {
  const ChoiceSet set = first_choices(4);
  EXPECT_THAT(set, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(first_choices(0), IsEmpty());
  EXPECT_THAT(without(set, std::vector<size_t>{2, 0}), ElementsAre(1, 3));
  EXPECT_THAT(each_without({1, 4}, std::vector<size_t>{4, 1}), ElementsAre(ElementsAre(1), ElementsAre(4)));
}

/// A bound that a set meets when it holds all needed choices; every set is judged alone.
class NeededChoices final : public SetJudge {
 public:
  explicit NeededChoices(ChoiceSet needed) : needed_(std::move(needed)) {}

  std::optional<size_t> first_that(bool yes, const std::vector<ChoiceSet>& sets,
                                   const std::optional<ChoiceSet>& /*base*/) override {
    const auto found = std::ranges::find(sets, yes, [&](const ChoiceSet& set) { return meets(set); });
    return found == sets.end() ? std::nullopt : std::optional(static_cast<size_t>(found - sets.begin()));
  }
  bool meets(const ChoiceSet& set) override { return std::ranges::includes(set, needed_); }
  std::vector<std::optional<bool>> meets_without(const ChoiceSet& found, const ChoiceSet& choices) override {
    std::vector<std::optional<bool>> answers;
    for (const ChoiceSet& fewer : each_without(found, choices)) answers.emplace_back(meets(fewer));
    return answers;
  }
  ChoiceSet order_of(const ChoiceSet& found) override { return {found.rbegin(), found.rend()}; }

 private:
  ChoiceSet needed_;
};

TEST(SearchSets, GivesBackWhatIsNotNeeded) {
  for (const bool together : {false, true})
    for (const size_t at_once : {1, 3}) {
      NeededChoices judge({1, 4});
      const auto sets = search_sets(judge, {.most = 9, .at_once = at_once, .together = together});
      ASSERT_FALSE(sets.empty());
      EXPECT_THAT(sets.front(), ElementsAre(0, 1, 2, 3, 4)) << "the shortest beginning";
      EXPECT_THAT(sets.back(), ElementsAre(1, 4));
    }
}

/// Ends the work when it has judged so many sets.
class ImpatientJudge final : public SetJudge {
 public:
  ImpatientJudge(SetJudge& judge, int sets) : judge_(judge), left_(sets) {}

  std::optional<size_t> first_that(bool yes, const std::vector<ChoiceSet>& sets,
                                   const std::optional<ChoiceSet>& base) override {
    return judge_.first_that(yes, sets, base);
  }
  bool meets(const ChoiceSet& set) override { return judge_.meets(set); }
  std::vector<std::optional<bool>> meets_without(const ChoiceSet& found, const ChoiceSet& choices) override {
    while (left_ == 0) stop_if_interrupted();
    --left_;
    return judge_.meets_without(found, choices);
  }
  ChoiceSet order_of(const ChoiceSet& found) override { return judge_.order_of(found); }

 private:
  SetJudge& judge_;
  int left_;
};

TEST(SearchSets, ReturnWhatIsFoundWhenTheTimeIsUp) {
  NeededChoices needed({1, 4});
  EarlyEnd early(0.02);
  early.begin();
  ImpatientJudge judge(needed, 2);
  const auto sets = search_sets(judge, {.most = 9});
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_THAT(sets.back(), ElementsAre(0, 1, 2, 4)) << "one choice was given back";
}

TEST(SearchSets, FindNothingWhereNoBeginningMeetsTheBound) {
  NeededChoices judge({9});
  EXPECT_THAT(search_sets(judge, {.most = 9}), IsEmpty()) << "the tenth choice is beyond the longest";
}

TEST(SearchSets, EndWhenRoundsGiveNothingBack) {
  NeededChoices judge({2, 3, 4});
  EXPECT_THAT(search_sets(judge, {.most = 9, .fruitless = 2}).back(), ElementsAre(0, 1, 2, 3, 4))
      << "4 and 3 are needed";
}

}  // namespace
}  // namespace detent
