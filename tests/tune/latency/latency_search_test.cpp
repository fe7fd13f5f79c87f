#include "tune/latency/latency_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace detent {
namespace {

/// A ledger whose factors are "0", "1" and so on, with files by their sets and times over the default's.
class Search {
 public:
  Search(const std::vector<TimeBelief>& effects, bool learned, double noise) {
    for (const TimeBelief& effect : effects)
      ledger.factors.push_back({.changes = {std::to_string(ledger.factors.size())}, .effect = effect});
    ledger.learned = learned;
    ledger.noise = noise;
  }
  /// Returns the row of a set, which is added where it is missing.
  size_t row(FactorSet set) {
    const Changes changes = ledger.changes_of(set);
    const LatencyChoice kind = set == 0 ? LatencyChoice::Default : LatencyChoice::Variant;
    if (const auto found = ledger.find(kind, changes)) return *found;
    ledger.files.push_back({.kind = kind, .changes = changes});
    return ledger.files.size() - 1;
  }
  void add(FactorSet set, double part) {
    const size_t at = row(set);
    ledger.files[at].times.push_back(part);
    ledger.parts.emplace_back(at, part);
  }
  void forbid(FactorSet set) { ledger.files[row(set)].state = LedgerFile::State::Inaccurate; }
  void refuse(FactorSet set) { ledger.add(row(set), std::nullopt); }
  [[nodiscard]] std::optional<FactorSet> next(size_t left) const { return LatencyKnowledge(ledger).next(left); }
  [[nodiscard]] FactorSet best() const { return LatencyKnowledge(ledger).best(); }
  [[nodiscard]] TimeBelief effect_of(size_t factor) const { return LatencyKnowledge(ledger).effect_of(factor); }

  LatencyLedger ledger;
};

/// A command with known costs: each factor saves or costs up to a fifth of the default's time, one pair of them .15
/// more or less together. Its times have noise, normal or between two bounds.
enum class Noise { Normal, Bounded };
class Plant {
 public:
  /// noise  standard deviation of normal noise, or bound, as a part of a time
  Plant(unsigned seed, size_t factors, double noise, Noise kind = Noise::Normal)
      : random_(seed), noise_(noise), kind_(kind) {
    std::uniform_real_distribution<double> effect(-.2, .2);
    std::vector<double> effects(factors);
    for (double& each : effects) each = effect(random_);
    std::vector<size_t> order(factors);
    for (size_t i = 0; i < factors; ++i) order[i] = i;
    std::ranges::shuffle(order, random_);
    const FactorSet pair = FactorSet{1} << order[0] | FactorSet{1} << order[1];
    const double together = random_() % 2 == 0 ? .15 : -.15;
    for (FactorSet set = 0; set < FactorSet{1} << factors; ++set) {
      double time = 1 + ((set & pair) == pair ? together : 0);
      for (size_t i = 0; i < factors; ++i) time += (set >> i & 1U) != 0 ? effects[i] : 0;
      times_.push_back(std::max(time, .2));
    }
  }
  double ask(FactorSet set) {
    const double deviate = kind_ == Noise::Normal ? std::normal_distribution<double>()(random_)
                                                  : std::uniform_real_distribution<double>(-1, 1)(random_);
    return times_[set] * (1 + noise_ * deviate);
  }
  /// How much longer the set takes than the fastest one.
  [[nodiscard]] double regret(FactorSet set) const { return times_[set] / *std::ranges::min_element(times_) - 1; }
  [[nodiscard]] double time(FactorSet set) const { return times_[set]; }

 private:
  std::mt19937 random_;
  double noise_;
  Noise kind_;
  std::vector<double> times_;
};

/// Searches with this many calls, three of which the float model and the default take.
FactorSet found_in(size_t calls, Plant& plant, size_t factors, double noise) {
  Search search(std::vector<TimeBelief>(factors, LatencyModel::kUnknownEffect), false, noise);
  const double first = plant.ask(0), second = plant.ask(0), usual = (first + second) / 2;
  search.add(0, first / usual);
  search.add(0, second / usual);
  for (size_t left = calls - 3; left > 0; --left) {
    const std::optional<FactorSet> asked = search.next(left);
    if (!asked) break;
    search.add(*asked, plant.ask(*asked) / usual);
  }
  return search.best();
}

/// Results of searches on 500 plants of six factors with 20 calls.
struct PlantsFound {
  size_t within = 0;  ///< plants whose file is within the noise of the fastest one
  size_t slower = 0;  ///< than the default beyond the noise
  double mean_regret = 0;
};
constexpr size_t kPlants = 500;
PlantsFound found_on_plants(double noise, Noise kind) {
  PlantsFound found;
  for (unsigned seed = 0; seed < kPlants; ++seed) {
    Plant plant(seed, 6, noise, kind);
    const FactorSet set = found_in(20, plant, 6, kind == Noise::Normal ? noise : noise / std::sqrt(3.0));
    found.within += plant.regret(set) <= noise;
    found.slower += plant.time(set) > plant.time(0) * (1 + noise);
    found.mean_regret += plant.regret(set) / kPlants;
  }
  return found;
}

TEST(LatencySearchOnPlants, FindsTheOptimumWithinFivePercentOfNoiseInTwentyCalls) {
  const PlantsFound found = found_on_plants(.05, Noise::Bounded);
  EXPECT_GE(found.within, kPlants - 2);
  EXPECT_LE(found.mean_regret, .005);
  EXPECT_EQ(found.slower, 0U);
}

TEST(LatencySearchOnPlants, FindsItInMostPlantsWhereFivePercentIsTheStandardDeviation) {
  // 17 such times do not tell 64 sets apart: a search that is told which pair of factors interacts finds 489 of 500,
  // and with 40 calls this one finds 499
  const PlantsFound found = found_on_plants(.05, Noise::Normal);
  EXPECT_GE(found.within, kPlants * 94 / 100);
  EXPECT_LE(found.mean_regret, .01);
  EXPECT_EQ(found.slower, 0U);
}

TEST(LatencySearchOnPlants, IsBetterThanRandomCalls) {
  constexpr double kNoise = .05;
  double ours = 0, random = 0;
  std::mt19937 chance(1);
  for (unsigned seed = 1000; seed < 1200; ++seed) {
    Plant plant(seed, 6, kNoise);
    ours += plant.regret(found_in(20, plant, 6, kNoise));
    FactorSet fastest = 0;
    double least = plant.ask(0);
    for (size_t call = 0; call < 17; ++call) {
      const FactorSet set = chance() % 64;
      if (const double time = plant.ask(set); time < least) least = time, fastest = set;
    }
    random += plant.regret(fastest);
  }
  EXPECT_LT(ours * 3, random);
}

TEST(LatencySearchOnPlants, FindsTheOptimumOfQuietCommands) {
  for (unsigned seed = 100; seed < 120; ++seed) {
    Plant plant(seed, 5, .002);
    EXPECT_LE(plant.regret(found_in(20, plant, 5, .005)), .01) << "plant " << seed;
  }
}

TEST(LatencySearch, AsksForSetsThatTellOfAllFactorsFirst) {
  Search search(std::vector<TimeBelief>(4, LatencyModel::kUnknownEffect), false, .02);
  search.add(0, 1);
  EXPECT_EQ(*search.next(10), 0b1111U) << "the set that is farthest from what is known";
}

TEST(LatencySearch, LeavesOutSetsThatCannotBeFaster) {
  Search search({LatencyModel::kUnknownEffect, {2, .5}}, false, .02);  // the second triples the time
  search.add(0, 1);
  EXPECT_EQ(*search.next(10), 0b01U);
}

TEST(LatencySearch, RepeatedTimesOfOneSetCountMoreThanTheSum) {
  Search search(std::vector<TimeBelief>(2, LatencyModel::kUnknownEffect), false, .005);
  for (int i = 0; i < 3; ++i) search.add(0, 1), search.add(0b01, .8), search.add(0b11, .82);
  search.add(0b10, .9);
  EXPECT_EQ(search.best(), 0b01U);
}

TEST(LatencySearch, NeitherAsksNorTakesWhatIsForbiddenOrRefused) {
  Search search(std::vector<TimeBelief>(2, LatencyModel::kUnknownEffect), false, .02);
  search.add(0, 1);
  search.add(0b01, .5);
  search.forbid(0b01);
  search.refuse(0b11);
  EXPECT_EQ(search.best(), 0U);
  for (size_t left = 8; left > 0; --left) {
    const std::optional<FactorSet> asked = search.next(left);
    if (!asked) break;
    EXPECT_TRUE(asked == 0 || asked == 0b10) << *asked;
    search.add(*asked, *asked == 0 ? 1 : 1.1);
  }
  EXPECT_EQ(search.best(), 0U);
  search.forbid(0);
  search.forbid(0b10);
  EXPECT_EQ(search.next(1), std::nullopt);
}

TEST(LatencySearch, KnownEffectsLeaveTheSpreadOut) {
  Search search({{-.2, .02}, {.3, .02}, {.2, .02}}, true, .01);
  search.add(0, 1);
  EXPECT_EQ(*search.next(5), 0b001U) << "what other networks gained from";
}

TEST(LatencySearch, OneSlowFileDoesNotSpoilTheOthers) {
  Search search(std::vector<TimeBelief>(3, LatencyModel::kUnknownEffect), false, .01);
  search.add(0, 1);
  search.add(0b001, 3.1);  // three times as slow, as symmetric activations in ONNX Runtime
  search.add(0b010, .95);
  search.add(0b100, 1.02);
  search.add(0b110, .97);
  EXPECT_EQ(search.best(), 0b010U);
  EXPECT_NEAR(search.effect_of(1).mean, -.05, .02);
}

TEST(LatencySearch, WithoutFactorsTheDefaultIsTheBest) {
  Search search({}, false, .01);
  search.add(0, 1);
  EXPECT_EQ(search.best(), 0U);
  EXPECT_EQ(search.next(3), std::nullopt) << "nothing else can be tried";
}

TEST(LatencySearch, EndsWhereNoSetMayWinAndNoTimeChangesWhichDoes) {
  Search search(std::vector<TimeBelief>(1, LatencyModel::kUnknownEffect), false, .01);
  search.add(0, 1);
  EXPECT_EQ(search.next(9), 0b1U) << "it was not timed";
  search.add(0b1, .7);
  EXPECT_EQ(search.next(8), std::nullopt) << "it is faster by far";
}

TEST(LatencySearch, AsksAgainWhereTwoAreCloseAndNotForEver) {
  Search search(std::vector<TimeBelief>(1, LatencyModel::kUnknownEffect), false, .05);
  search.add(0, 1);
  search.add(0b1, .98);
  size_t calls = 0;
  for (size_t left = 16; left > 0; --left) {
    const std::optional<FactorSet> asked = search.next(left);
    if (!asked) break;
    search.add(*asked, *asked == 0 ? 1 : .98);
    ++calls;
  }
  EXPECT_GE(calls, 1U);
  EXPECT_LE(calls, 4U) << "three times each";
}

TEST(NoiseOf, IsThatOfRepeatedTimes) {
  // pooled with the usual 2 %, which weighs as much as one repetition
  EXPECT_NEAR(noise_of({{1.0, 1.1}}), std::sqrt((.02 * .02 + 2 * std::pow(.05 / 1.05, 2)) / 2), 1e-12);
  EXPECT_NEAR(noise_of({}), .02, 1e-12);
  EXPECT_NEAR(noise_of({{3.0}}), .02, 1e-12);
  EXPECT_NEAR(noise_of(std::vector<std::vector<double>>(40, {2, 2})), .005, 1e-12) << "never none at all";
}

/// A search of three factors whose default takes 10 ms.
LatencyLedger begun_ledger() {
  LatencyLedger ledger;
  ledger.add(0, 10);
  ledger.add(0, 10);
  ledger.set_factors({{.changes = {"conv1", "conv2", "conv3", "conv4"}, .effect = {-.1, .05}, .has_halves = true},
                      {.changes = {"int8 activations"}, .effect = {0, .01}}});
  return ledger;
}
size_t add_file(LatencyLedger& ledger, const Changes& changes, std::optional<double> ms) {
  ledger.files.push_back({.changes = changes});
  ledger.add(ledger.files.size() - 1, ms);
  return ledger.files.size() - 1;
}

TEST(LatencyLedger, RowsKeepTheirChangesWhereAFactorIsHalved) {
  LatencyLedger ledger = begun_ledger();
  const Changes all = {"conv1", "conv2", "conv3", "conv4"};
  EXPECT_EQ(ledger.changes_of(0b01), all);
  const size_t whole = add_file(ledger, all, 8), refused = add_file(ledger, {"int8 activations"}, std::nullopt);
  EXPECT_THAT(ledger.parts, testing::ElementsAre(testing::Pair(0, 1), testing::Pair(0, 1), testing::Pair(whole, .8),
                                                 testing::Pair(refused, LatencyModel::kWorst)));
  ledger.set_factors({{.changes = {"conv1", "conv2"}}, ledger.factors[1], {.changes = {"conv3", "conv4"}}});
  EXPECT_EQ(ledger.set_of(ledger.files[whole].changes), 0b101U) << "both halves";
  EXPECT_EQ(ledger.find(LatencyChoice::Variant, all), whole);
  EXPECT_EQ(ledger.files[refused].state, LedgerFile::State::Refused) << "and nothing is known of its half";
  EXPECT_THAT(ledger.parts, testing::ElementsAre(testing::Pair(0, 1), testing::Pair(0, 1), testing::Pair(whole, .8)));
}

TEST(LatencyLedger, FindsTheFileWithTheSamePairsWhereItHasATime) {
  LatencyLedger ledger = begun_ledger();
  ledger.files.push_back({.kind = LatencyChoice::Float});
  ledger.files[add_file(ledger, {"a"}, 8)].pairs = "x;";
  ledger.files[add_file(ledger, {"b"}, std::nullopt)].pairs = "y;";
  ledger.files.front().pairs = "d;";
  EXPECT_EQ(ledger.find_same("x;"), &ledger.files[2]);
  EXPECT_EQ(ledger.find_same("y;"), nullptr) << "refused";
  EXPECT_EQ(ledger.find_same(""), &ledger.files[1]) << "no pairs: the float model";
}

TEST(Decide, StopsWithoutATimeOfTheDefaultAndWithoutCalls) {
  EXPECT_FALSE(decide(LatencyLedger(), 20));
  EXPECT_FALSE(decide(begun_ledger(), 0));
}

TEST(Decide, HalvesOnceWhenHalfOfTheCallsAreLeft) {
  LatencyLedger ledger = begun_ledger();
  EXPECT_FALSE(decide(ledger, 11)->halve) << "asks for a file";
  EXPECT_EQ(decide(ledger, 10)->halve, 0U);
  ledger.halved = true;
  EXPECT_FALSE(decide(ledger, 10)->halve);
}

TEST(Decide, TriesTheFastestWithoutWhatSavesNothingOnceAndThenRepeatsIt) {
  LatencyLedger ledger = begun_ledger();
  const Changes both = {"conv1", "conv2", "conv3", "conv4", "int8 activations"};
  add_file(ledger, both, 9);
  const auto fewer = decide(ledger, 3);
  EXPECT_EQ(fewer->phase, LatencyLedger::Phase::Fewer);
  EXPECT_EQ(fewer->changes, Changes({"conv1", "conv2", "conv3", "conv4"}));
  ledger.phase = fewer->phase;
  ledger.files[add_file(ledger, fewer->changes, std::nullopt)].state = LedgerFile::State::Inaccurate;
  const auto again = decide(ledger, 2);
  EXPECT_EQ(again->phase, LatencyLedger::Phase::Repeats);
  EXPECT_EQ(again->changes, both);
  ledger.add(1, 9);
  EXPECT_FALSE(decide(ledger, 1)) << "twice is enough";
}

TEST(Decide, RepeatsTheFloatModelWhereItsTimeIsNear) {
  for (const double ms : {7.1, 15.0}) {
    LatencyLedger ledger = begun_ledger();
    ledger.phase = LatencyLedger::Phase::Repeats;
    add_file(ledger, {"conv1", "conv2", "conv3", "conv4"}, 7);
    ledger.files.push_back({.kind = LatencyChoice::Float, .times = {ms}});
    EXPECT_EQ(decide(ledger, 2)->file, ms < 10 ? LatencyChoice::Float : LatencyChoice::Variant) << ms;
  }
}

}  // namespace
}  // namespace detent
