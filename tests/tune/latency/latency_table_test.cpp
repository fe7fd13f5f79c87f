#include "tune/latency/latency_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/text.h"
#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const LatencyMachine kHere{"onnxruntime", "1.30.0", "AMD EPYC", "2", "1"};
LatencyMachine with_threads(const std::string& threads) {
  LatencyMachine machine = kHere;
  machine.threads = threads;
  return machine;
}

LearnedNetwork network(const std::string& fingerprint, std::vector<LearnedGroup> groups = {}) {
  return {"net.onnx", fingerprint, 0.8, 0.02, std::move(groups)};
}

class LatencyTableTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string error_of(const std::string& text) const {
    folder_.write("table.json", text);
    try {
      const LatencyTable table(folder_ / "table.json");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidData);
      return error.what();
    }
    return "accepted";
  }
  TemporaryFolder folder_;
};

TEST_F(LatencyTableTest, TwoRunsLoseNothingOfEachOther) {
  LatencyTable one(folder_ / "table.json"), other(folder_ / "table.json");
  one.learn(kHere, network("a"));
  other.learn(kHere, network("b"));
  other.learn(with_threads("4"), network("b"));
  one.save();
  other.save();
  const LatencyTable read(folder_ / "table.json");
  EXPECT_THAT(read.networks_of(kHere), SizeIs(2));
  EXPECT_THAT(read.machines(), ElementsAre(kHere, with_threads("4")));
}

TEST_F(LatencyTableTest, IsReadAsItWasWritten) {
  LatencyTable table(folder_ / "table.json");
  EXPECT_THAT(table.machines(), IsEmpty());
  table.learn(kHere,
              network("a", {{{"float Add", .25, 128}, {-.125, .03125}}, {{"activation int8", 1, 0}, {.5, .0625}}}));
  table.learn(with_threads("4"), network("b"));
  table.save();

  const LatencyTable read(folder_ / "table.json");
  EXPECT_THAT(read.machines(), ElementsAre(kHere, with_threads("4")));
  const std::vector<LearnedNetwork> networks = read.networks_of(kHere);
  ASSERT_THAT(networks, SizeIs(1));
  EXPECT_EQ(networks[0].model, "net.onnx");
  EXPECT_EQ(networks[0].fingerprint, "a");
  EXPECT_EQ(networks[0].float_ratio, 0.8);
  EXPECT_EQ(networks[0].noise, 0.02);
  ASSERT_THAT(networks[0].groups, SizeIs(2));
  EXPECT_EQ(networks[0].groups[0].kind, (GroupKind{"float Add", .25, 128}));
  EXPECT_EQ(networks[0].groups[0].effect.mean, -.125);
  EXPECT_EQ(networks[0].groups[0].effect.deviation, .03125);
  EXPECT_EQ(networks[0].groups[1].kind, (GroupKind{"activation int8", 1, 0}));
}

TEST_F(LatencyTableTest, TellsNothingOfAnotherMachine) {
  LatencyTable table{{}};
  table.learn(kHere, network("a"));
  for (const size_t member : {0U, 1U, 2U, 3U, 4U}) {
    LatencyMachine other = kHere;
    std::string* const members[] = {&other.engine, &other.version, &other.device, &other.threads, &other.batch};
    *members[member] += "x";
    EXPECT_THAT(table.networks_of(other), IsEmpty()) << "member " << member;
  }
  EXPECT_THAT(table.networks_of(kHere), SizeIs(1));
}

TEST_F(LatencyTableTest, LeavesTheNetworkOutThatIsMeasured) {
  LatencyTable table{{}};
  table.learn(kHere, network("a"));
  table.learn(kHere, network("b"));
  EXPECT_THAT(table.networks_of(kHere, "a"), SizeIs(1));
  EXPECT_THAT(table.networks_of(kHere, "c"), SizeIs(2));
}

TEST_F(LatencyTableTest, ReplacesANetworkOnTheSameMachineAlone) {
  LatencyTable table{{}};
  table.learn(kHere, network("a"));
  table.learn(with_threads("4"), network("a"));
  LearnedNetwork again = network("a");
  again.noise = .5;
  table.learn(kHere, again);
  ASSERT_THAT(table.networks_of(kHere), SizeIs(1));
  EXPECT_EQ(table.networks_of(kHere)[0].noise, .5);
  EXPECT_EQ(table.networks_of(with_threads("4"))[0].noise, .02);
}

TEST_F(LatencyTableTest, WithoutAPathIsNotWritten) {
  LatencyTable table{{}};
  table.learn(kHere, network("a"));
  table.save();
  EXPECT_EQ(std::filesystem::directory_iterator(folder_ / "."), std::filesystem::directory_iterator());
}

TEST_F(LatencyTableTest, RefusesOtherFilesWithTheirPath) {
  const std::string machine = R"("engine": "e", "version": "", "device": "", "threads": "", "batch": "")";
  const std::string of_network = R"("model": "m", "fingerprint": "f", "float_ratio": 1, "noise": 0.02)";
  const auto table = [&](const std::string& network) {
    return R"({"detent_latency_table": 1, "machines": [{)" + machine + R"(, "networks": [)" + network + "]}]}";
  };
  const auto group = [&](const std::string& members) {
    return table("{" + of_network + R"(, "groups": [{)" + members + "}]}");
  };
  EXPECT_EQ(error_of(table("")), "accepted");
  EXPECT_EQ(error_of(group(R"("change": "c", "share": 1, "elements": 0, "effect": -0.1, "error": 0.02)")), "accepted");

  const std::string path = (folder_ / "table.json").string();
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{\"machines\": []}"), table("{}"), table("3"),
        std::string(R"({"detent_latency_table": 1})"), std::string(R"({"detent_latency_table": 0, "machines": []})"),
        group(R"("change": "c", "share": 0, "elements": 0, "effect": -0.1, "error": 0.02)"),
        group(R"("change": "c", "share": 1.5, "elements": 0, "effect": -0.1, "error": 0.02)"),
        group(R"("change": "c", "share": 1, "elements": 0, "effect": -0.1, "error": -0.02)"),
        group(R"("change": "c", "share": 1, "elements": 0, "effect": "much", "error": 0.02)"),
        group(R"("change": "c", "share": 1, "elements": 0, "error": 0.02)")})
    EXPECT_THAT(error_of(text), StartsWith(path)) << text;
  EXPECT_THAT(error_of(R"({"detent_latency_table": 2, "machines": []})"),
              HasSubstr("a newer version of Detent wrote it"));
}

/// A network whose change of a quarter of its work saves an eighth of the time.
LearnedNetwork saving(const std::string& fingerprint, double effect = -.125, double deviation = .01) {
  return network(fingerprint, {{{"float Add", .25, 64}, {effect, deviation}}});
}

TEST(ExpectedEffect, IsInProportionToTheShareOfWork) {
  const std::vector<LearnedNetwork> networks{saving("a")};
  EXPECT_DOUBLE_EQ(expected_effect(networks, {"float Add", .25, 64}).effect.mean, -.125);
  EXPECT_DOUBLE_EQ(expected_effect(networks, {"float Add", .5, 64}).effect.mean, -.25);
  EXPECT_EQ(expected_effect(networks, {"float Add", .5, 64}).networks, 1U);
}

TEST(ExpectedEffect, OfAnUnknownChangeIsUnknown) {
  const ExpectedEffect none = expected_effect({saving("a")}, {"float MaxPool", .25, 64});
  EXPECT_EQ(none.networks, 0U);
  EXPECT_EQ(none.effect.mean, LatencyModel::kUnknownEffect.mean);
  EXPECT_EQ(none.effect.deviation, LatencyModel::kUnknownEffect.deviation);
}

TEST(ExpectedEffect, IsMoreCertainFromAlikeNetworksThanFromOneOrFromDifferentOnes) {
  const GroupKind kind{"float Add", .25, 64};
  const double one = expected_effect({saving("a")}, kind).effect.deviation;
  const double alike = expected_effect({saving("a"), saving("b")}, kind).effect.deviation;
  const double different = expected_effect({saving("a"), saving("b", .125)}, kind).effect.deviation;
  EXPECT_LT(alike, one);
  EXPECT_GT(different, one);
  EXPECT_LE(different, LatencyModel::kUnknownEffect.deviation) << "never less certain than without a table";
}

TEST(ExpectedEffect, BelievesNodesOfTheSameSizeMore) {
  std::vector<LearnedNetwork> networks{saving("near"), saving("far", .125)};
  networks[1].groups[0].kind.elements = 64 * 1024;  // 10 doublings: 2^-5 of the weight
  const double mean = expected_effect(networks, {"float Add", .25, 64}).effect.mean;
  EXPECT_NEAR(mean, -.125 * (1 - std::exp2(-5)) / (1 + std::exp2(-5)), 1e-9);
}

TEST(ExpectedEffect, BelievesQuietTimesMore) {
  const GroupKind kind{"float Add", .25, 64};
  EXPECT_LT(expected_effect({saving("a"), saving("b", .125, .1)}, kind).effect.mean, -.1);
  EXPECT_NEAR(expected_effect({saving("a"), saving("b", .125)}, kind).effect.mean, 0, 1e-9);
}

TEST(ExpectedEffect, TakesTwoHalvesOfAGroupForOneNetwork) {
  std::vector<LearnedNetwork> halves{saving("a", -.0625)};
  halves[0].groups[0].kind.share = .125;
  halves[0].groups.push_back(halves[0].groups[0]);
  const ExpectedEffect effect = expected_effect(halves, {"float Add", .25, 64});
  EXPECT_EQ(effect.networks, 1U);
  EXPECT_DOUBLE_EQ(effect.effect.mean, -.125);
}

TEST(LatencyForecasts, AddUpTheGroupsThatTogetherAreTheFloatModel) {
  LatencyTable table{{}};
  table.learn(kHere, network("a", {{{"float Add", .25, 64}, {-.25, .01}},
                                   {{"float Conv", .75, 64}, {.125, .01}},
                                   {{"activation int8", 1, 0}, {-.5, .01}}}));
  const std::vector<LatencyForecast> forecasts =
      forecasts_of(table, {{"Add in float", {"float Add", .25, 64}, 2},
                           {"Conv in float", {"float Conv", .75, 64}, 6},
                           {"int8 activations", {"activation int8", 1, 0}, 0}});
  ASSERT_THAT(forecasts, SizeIs(1));
  EXPECT_EQ(forecasts[0].machine, kHere);
  ASSERT_THAT(forecasts[0].parts, SizeIs(3));
  EXPECT_EQ(forecasts[0].parts[0].name, "int8 activations") << "the largest gain first";
  EXPECT_EQ(forecasts[0].parts[2].gain, -.125);
  ASSERT_TRUE(forecasts[0].ratio);
  EXPECT_DOUBLE_EQ(*forecasts[0].ratio, 1 / (1 - .25 + .125)) << "the other form of activations does not count";
  EXPECT_GT(forecasts[0].ratio_error, 0);
}

TEST(LatencyForecasts, HaveNoRatioWhereLessThanHalfOfTheNodesAreKnown) {
  LatencyTable table{{}};
  table.learn(kHere, saving("a"));
  const auto ratio_beside = [&](size_t others) {
    return forecasts_of(
               table, {{"Add in float", {"float Add", .25, 64}, 2}, {"Conv in float", {"float Conv", .75, 64}, others}})
        .at(0)
        .ratio;
  };
  EXPECT_FALSE(ratio_beside(3));
  EXPECT_TRUE(ratio_beside(2));
}

TEST(LatencyForecasts, LeaveMachinesOutThatKnowNoneOfTheParts) {
  LatencyTable table{{}};
  table.learn(kHere, saving("a"));
  EXPECT_THAT(forecasts_of(table, {{"Conv in float", {"float Conv", .75, 64}, 6}}), IsEmpty());
}

}  // namespace
}  // namespace detent
