#include "tune/equalize/choose_families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "equalize/equalization.h"

namespace detent {
namespace {

using Scores = std::vector<double>;  // by calibrator, one part after the other

/// Every family has one group, gate, linear, relu, norm and act.
EqualizeReport families(size_t groups = 1) {
  EqualizeReport report;
  for (const EqualizeFamily family : kEqualizeFamilies)
    report.families.push_back({.name = std::string(name_of(family)), .groups = groups, .values = groups});
  return report;
}

/// Scores of a network by its equalization, "gate:1,relu" ...; unnamed ones score 1 dB less than "off".
class Network {
 public:
  /// parts  of the data; the scores of each follow those of the one before.
  explicit Network(std::map<std::string, Scores> scores, size_t parts = 1)
      : scores_(std::move(scores)), calibrators_(scores_.at("off").size() / parts) {}

  std::string choose(EqualizeReport& report) {
    const auto on_part = [this](std::span<const std::vector<EqualizeItem>> lists, size_t part) {
      std::vector<Scores> result;
      for (const std::vector<EqualizeItem>& items : lists) {
        result.push_back(parts(of(items)).at(part));
        ++judged_[part][to_text(items)];
      }
      return result;
    };
    return to_text(choose_families({scores_.at("off").size() / calibrators_, on_part}, report));
  }
  std::string choose() {
    EqualizeReport report = families();
    return choose(report);
  }
  /// Number of times that a list was judged on a part.
  [[nodiscard]] int judged(size_t part, const std::string& items) { return judged_[part][items]; }

 private:
  /// As many calibrators as the plain model has; further numbers are further parts.
  [[nodiscard]] PartScores parts(const Scores& scores) const {
    PartScores result;
    for (size_t first = 0; first < scores.size(); first += calibrators_)
      result.emplace_back(scores.begin() + static_cast<std::ptrdiff_t>(first),
                          scores.begin() + static_cast<std::ptrdiff_t>(first + calibrators_));
    return result;
  }

  Scores of(std::vector<EqualizeItem> items) {
    std::ranges::sort(items, {}, &EqualizeItem::family);
    const auto found = scores_.find(to_text(items));
    if (found != scores_.end()) return found->second;
    Scores worse = scores_.at("off");
    for (double& score : worse) score -= 1;
    return worse;
  }

  std::map<std::string, Scores> scores_;
  size_t calibrators_;
  std::map<size_t, std::map<std::string, int>> judged_;
};

TEST(ChooseFamilies, KeepsTheExponentThatGainsMost) {
  EXPECT_EQ(Network({{"off", {20}}, {"relu", {21}}, {"relu:0.75", {23}}, {"relu:1", {22}}}).choose(), "relu:0.75");
}

TEST(ChooseFamilies, KeepsNothingWhereNothingGains) {
  EqualizeReport report = families();
  EXPECT_EQ(Network({{"off", {20}}}).choose(report), "off");
  for (const auto& family : report.families) {
    EXPECT_FALSE(family.kept) << family.name;
    EXPECT_DOUBLE_EQ(*family.gain_db, -1) << family.name;
  }
}

TEST(ChooseFamilies, TakesLessThanATenthOfADecibelForNoise) {
  EXPECT_EQ(Network({{"off", {20}}, {"relu", {20.09}}}).choose(), "off");
  EXPECT_EQ(Network({{"off", {20}}, {"relu", {20.11}}}).choose(), "relu");
}

TEST(ChooseFamilies, AsksForTheFamilyThatGainsMostFirst) {
  // Gates alone lose, because the activations behind them become worse; with `act` they gain.
  EqualizeReport report = families();
  EXPECT_EQ(Network({{"off", {5}}, {"act", {13}}, {"gate,act", {15}}}).choose(report), "gate,act");
  EXPECT_DOUBLE_EQ(*report.families[0].gain_db, 2) << "on top of act";
  EXPECT_DOUBLE_EQ(*report.before_db, 5);
  EXPECT_DOUBLE_EQ(*report.after_db, 15);
}

TEST(ChooseFamilies, DropsWhatRuinsOneCalibratorForTheOthers) {
  EXPECT_EQ(Network({{"off", {20, 20}}, {"relu", {25, 19.7}}}).choose(), "off");
  EXPECT_EQ(Network({{"off", {20, 20}}, {"relu", {25, 19.95}}}).choose(), "relu") << "a dead calibrator falls by noise";
}

TEST(ChooseFamilies, PrefersAnExponentThatRuinsNobody) {
  EXPECT_EQ(Network({{"off", {20, 20}}, {"relu", {25, 19}}, {"relu:1", {21, 21}}}).choose(), "relu:1");
}

TEST(ChooseFamilies, CountsTheFallFromTheModelWithoutEqualization) {
  const Network network({{"off", {20, 20}}, {"act", {23, 21}}, {"gate,act", {26, 20.5}}});
  EXPECT_EQ(Network(network).choose(), "gate,act") << "the second fell by 0.5 dB, but not below 20";
}

TEST(ChooseFamilies, KeepsNothingThatGainsOnOnePartAndLosesOnTheOther) {
  // +1.5 and -1.1 dB: +0.2 with a standard error of 1.3. +0.4 and +0.2: +0.3 with one of 0.1.
  EXPECT_EQ(Network({{"off", {20, 20}}, {"relu", {21.5, 18.9}}}, 2).choose(), "off");
  EXPECT_EQ(Network({{"off", {20, 20}}, {"relu", {20.4, 20.2}}}, 2).choose(), "relu");
}

/// Why the family `relu` was not kept.
std::string reason_of(Network network) {
  EqualizeReport report = families();
  network.choose(report);
  return report.families[2].reason;
}

TEST(ChooseFamilies, SaysWhyAFamilyIsDropped) {
  ASSERT_EQ(families().families[2].name, "relu");
  EXPECT_EQ(reason_of(Network({{"off", {20}}, {"relu", {23}}})), "") << "it is kept";
  EXPECT_EQ(reason_of(Network({{"off", {20}}})), "gains less than 0.1 dB");
  EXPECT_EQ(reason_of(Network({{"off", {20, 20}}, {"relu", {30, 20}}}, 2)),
            "not sure: +10.00, +0.00 dB on parts of the samples");
  EXPECT_EQ(reason_of(Network({{"off", {20, 20}}, {"relu", {25, 19.5}}})),
            "one of 2 calibrators ends 0.50 dB below no equalization");
}

TEST(ChooseFamilies, PrefersTheSmallerGainThatIsSure) {
  EXPECT_EQ(Network({{"off", {20, 20}}, {"relu", {22, 22}}, {"relu:1", {25, 20.5}}}, 2).choose(), "relu");
}

TEST(ChooseFamilies, LeavesAnExponentThatCannotWinAnyMore) {
  // Alpha 0.75 surely gains 2 dB. On the first part 0.5 gains less than that, and 1 more, so only 1 is judged on the
  // second.
  Network network({{"off", {20, 20}}, {"relu", {21, 29}}, {"relu:0.75", {24, 22}}, {"relu:1", {23, 21}}}, 2);
  EXPECT_EQ(network.choose(), "relu:0.75");
  EXPECT_EQ(network.judged(0, "relu"), 1);
  EXPECT_EQ(network.judged(1, "relu"), 0);
  EXPECT_EQ(network.judged(1, "relu:1"), 1);
}

TEST(ChooseFamilies, JudgesWhatMayBeAcceptableWhereTheBestIsNot) {
  // Alpha 0.75 gains most but ruins a calibrator; 0.5 gains less and ruins none.
  EXPECT_EQ(
      Network({{"off", {20, 20, 20, 20}}, {"relu", {21, 21, 21, 21}}, {"relu:0.75", {30, 19, 30, 19}}}, 2).choose(),
      "relu");
}

TEST(ChooseFamilies, CountsACalibratorOverAllParts) {
  EXPECT_EQ(Network({{"off", {20, 20, 20, 20}}, {"relu", {24, 19, 24, 21.5}}}, 2).choose(), "relu");
  EXPECT_EQ(Network({{"off", {20, 20, 20, 20}}, {"relu", {24, 19, 24, 20.5}}}, 2).choose(), "off");
}

TEST(ChooseFamilies, MeasuresNothingWithoutGroups) {
  EqualizeReport report = families(0);
  const auto none = [](std::span<const std::vector<EqualizeItem>>, size_t) -> std::vector<Scores> {
    throw std::logic_error("not to be called");
  };
  EXPECT_TRUE(choose_families({1, none}, report).empty());
  EXPECT_FALSE(report.before_db);
}

}  // namespace
}  // namespace detent
