#include "tune/bound_race.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "evaluate/float_network.h"
#include "evaluate/trial.h"
#include "evaluate/variants_of.h"
#include "model/temporary_folder.h"
#include "run/memory_source.h"

namespace detent {
namespace {

constexpr size_t kRaceSamples = 300;

/// Sets of layers of the residual network, by their position among the choices.
class Race : public ::testing::Test {
 protected:
  using Set = BoundRace::Set;
  using Standing = BoundRace::Standing;

  /// A bound on the SQNR.
  std::unique_ptr<BoundRace> race(double min_sqnr_db) {
    bound_.min_sqnr_db = min_sqnr_db;
    return race();
  }
  std::unique_ptr<BoundRace> race() {
    judge_.emplace(bound_, parse_samples(bound_.evaluation.data), model_, &source_, network_.settings);
    return std::make_unique<BoundRace>(BoundedModel{network_.variants, model_, *judge_, network_.settings},
                                       [this](const Set& set) { return plan_of(set); });
  }
  PlacementPlan plan_of(const Set& set) {
    KeptFloat kept;
    for (const size_t i : set)
      kept.emplace(model_.graph().node(network_.variants.choices()[i].node).name, "for the test");
    return network_.variants.plan(kept);
  }
  double sqnr_of(const Set& set) {
    std::vector<Model> models;
    models.push_back(network_.variants.model(plan_of(set)));
    const std::vector<std::string> names{"y"};
    return evaluate_models(models, {model_, names, source_, network_.settings, "judging"}).report(0).sqnr_db.value();
  }
  static bool until_sure(size_t i, std::span<const Standing> all) { return !all[i].meets; }

  Model model_ = test::residual_network(1);
  MemorySource source_{test::residual_samples(kRaceSamples)};
  test::VariantsOf network_{model_, source_, "tensorrt"};
  AccuracyBound bound_;
  std::optional<BoundJudge> judge_;
};

TEST_F(Race, EndsEarlyFarFromTheBound) {
  const double all = sqnr_of({});
  for (const double distance : {-6.0, 6.0}) {
    const auto race = this->race(all - distance);
    const Standing standing = race->run({{}}, until_sure).front();
    EXPECT_FALSE(standing.on_all) << distance;
    EXPECT_LT(standing.batches, kRaceSamples / 2) << distance;
    EXPECT_EQ(standing.meets, distance > 0);
  }
}

TEST_F(Race, GoesOnToAllSamplesAtTheBound) {
  const double all = sqnr_of({});
  const auto race = this->race(all);
  const Standing standing = race->run({{}}, until_sure).front();
  EXPECT_TRUE(standing.on_all);
  EXPECT_EQ(standing.meets, true) << "a bound that is just reached holds";
  EXPECT_EQ(standing.score.score, all);
}

TEST_F(Race, GivesTheScoresOfModelsThatAreRunAlone) {
  const std::vector<Set> sets{{0}, {1, 2}, {0, 1, 2}};
  const auto apart = race(20), beside = race(20);
  const auto all = [](size_t, std::span<const Standing>) { return true; };
  const auto standings = beside->run(sets, all, Set{1});
  for (size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(standings[i].score.score, sqnr_of(sets[i]));
    EXPECT_EQ(standings[i].score.score, apart->measure(sets[i]).score.score);
    EXPECT_EQ(standings[i].score.score, beside->confirm(sets[i]).score);
  }
  EXPECT_EQ(beside->measurements(), sets.size()) << "the base is no candidate";
}

TEST_F(Race, BeginsWhereASetEnded) {
  const auto race = this->race(sqnr_of({}));
  const auto once = [](size_t i, std::span<const Standing> all) { return all[i].batches == 0; };
  const Standing first = race->run({{0}}, once).front();
  ASSERT_GT(first.batches, 0U);
  ASSERT_FALSE(first.on_all);
  EXPECT_EQ(race->run({{0}}, once).front().batches, first.batches) << "nothing was asked for";
  EXPECT_EQ(race->measure({0}).score.score, sqnr_of({0}));
  EXPECT_EQ(race->score_on({0}, first.batches).score, first.score.score);
}

/// A set that differs in one layer is a better reference than the float model.
TEST_F(Race, EstimatesFromTheNearestSet) {
  const auto with = race(sqnr_of({})), without = race(sqnr_of({}));
  static_cast<void>(with->measure({}));
  const auto once = [](size_t i, std::span<const Standing> all) { return all[i].batches == 0; };
  const Standing near = with->run({{4}}, once).front(), alone = without->run({{4}}, once).front();
  EXPECT_LT(near.error, alone.error);
  EXPECT_NEAR(near.slack, sqnr_of({4}) - sqnr_of({}), 4 * near.error);
}

/// The command logs a line per call: first the float model's; the third set is the first that is as good.
TEST_F(Race, AsksACommandOfSetsThatMayStillCountAndOnceOfTheFloatModel) {
  const TemporaryFolder folder;
  const std::string log = (folder / "calls").string();
  const auto script = folder.write(
      "metric.sh", "echo >> '" + log + "'; case $(wc -l < '" + log + "') in 2|3) echo 0;; *) echo 1;; esac");
  std::vector<std::vector<Tensor>> samples;
  for (const Tensor& sample : test::residual_samples(3)) samples.push_back({sample});
  bound_.max_drop = 0.5;
  bound_.evaluation.data.own = samples_in_memory(samples);
  bound_.evaluation.metric_command = "sh '" + script.string() + "'";
  const auto race = this->race();
  const auto nobody_before = [](size_t i, std::span<const Standing> all) {
    return std::ranges::none_of(all.first(i), [](const Standing& one) { return one.meets == true; });
  };
  const auto standings = race->run({{0}, {1}, {2}, {3}, {4}}, nobody_before);
  std::vector<std::optional<bool>> meets;
  for (const Standing& one : standings) meets.push_back(one.meets);
  EXPECT_EQ(meets, (std::vector<std::optional<bool>>{false, false, true, true, std::nullopt})) << "two at a time";
  EXPECT_EQ(race->measurements(), 4U);
  EXPECT_EQ(TemporaryFolder::read(log), std::string(5, '\n')) << "of the float model and of four sets";
}

}  // namespace
}  // namespace detent
