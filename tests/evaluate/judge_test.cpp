#include "evaluate/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "run/sample_counts.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

JudgedFacts measured(double sqnr_db) {
  JudgedFacts facts;
  facts.calibration_samples = 64;
  facts.closing.report.samples = 16;
  facts.closing.worst_output = {"logits", sqnr_db};
  return facts;
}

struct Row {
  const char* what;
  double sqnr_db;
  size_t classified, agreeing;
  double worst_sample_db;
  Quality expected;
};

// SQNR, scores: tests/onnxruntime/README.md.
const Row kRows[] = {
    {"EfficientNet-B0 by entropy, 35.5 of 78.9 %", 0.1, 16, 6, -3, Quality::Broken},
    {"EfficientNet-B0 by max, 62.6 of 78.9 %", 2.3, 16, 12, 0, Quality::Broken},
    {"EfficientNet-B0 by mse, 69.0 of 78.9 %", 4.0, 16, 14, 2, Quality::Broken},
    {"EfficientNet-B0 by max for ONNX Runtime, 73.2 of 78.9 %", 6.2, 16, 15, 3, Quality::Broken},
    {"EfficientNet-B0 by percentile 99.99 for ONNX Runtime, 76.6 of 78.9 %", 7.8, 16, 15, 3, Quality::Doubtful},
    {"MobileNetV2 by max, 80.5 of 84.0 %", 11.8, 16, 15, 5, Quality::Doubtful},
    {"MobileNetV2 by percentile 99.9, 82.3 of 84.0 %", 15.0, 16, 15, 5, Quality::Good},
    {"SqueezeNet by max, 62.3 of 63.8 %", 26.4, 16, 16, 20, Quality::Good},
    {"most answers differ", 20, 16, 7, 10, Quality::Broken},
    {"SqueezeNet by percentile 99, 54.3 of 63.8 %: 65.5 % of 400", 11.1, 400, 262, 5, Quality::Broken},
    {"too many answers differ", 20, 400, 340, 10, Quality::Doubtful},
    {"as many of few samples, a standard error below the limit", 20, 16, 13, 10, Quality::Good},
    {"more than that", 20, 16, 12, 10, Quality::Doubtful},
    {"two close calls", 20, 16, 14, 10, Quality::Good},
    {"two of three by chance", 20, 3, 1, 10, Quality::Good},
    {"no classification", 20, 0, 0, 10, Quality::Good},
    {"one sample is lost", 20, 16, 16, -1, Quality::Doubtful},
    {"not a number", std::numeric_limits<double>::quiet_NaN(), 0, 0, 10, Quality::Broken},
    {"the same numbers", std::numeric_limits<double>::infinity(), 16, 16, 100, Quality::Good},
};

TEST(Judge, SaysWhatTheScoresSay) {
  for (const Row& row : kRows) {
    JudgedFacts facts = measured(row.sqnr_db);
    if (row.classified > 0) facts.closing.decisions = {.all = row.classified, .agreeing = row.agreeing};
    facts.closing.worst_sample = {"007.png", row.worst_sample_db};
    EXPECT_EQ(judge(facts).quality, row.expected) << row.what;
  }
}

// One SQNR over boxes in pixels and scores tells nothing: bccd_nmsfree has 3 dB and its mAP, bccd_dfl 17 dB and a sixth
// of it.
TEST(Judge, GradesADetectorByItsDetections) {
  JudgedFacts facts = measured(3);
  const auto worst = std::exchange(facts.closing.worst_output, std::nullopt);  // no output beside the detections
  const auto quality = [&](double agreement, double error) {
    facts.closing.report.detections = {agreement, error, 100};
    return judge(facts).quality.value();
  };
  EXPECT_EQ(quality(0.98, 0.005), Quality::Good);
  EXPECT_EQ(quality(0.94, 0.005), Quality::Doubtful);
  EXPECT_EQ(quality(0.957, 0.005), Quality::Good) << "within the standard error";
  EXPECT_EQ(quality(0.7, 0.02), Quality::Broken);
  EXPECT_THAT(judge(facts).reasons.front(), HasSubstr("70.0 % mAP"));
  facts.closing.report.detections.reset();
  facts.closing.worst_output = worst;
  EXPECT_EQ(judge(facts).quality, Quality::Broken) << "without detections the SQNR counts";
}

TEST(Judge, KnowsNothingOfADetectorWithFewDetections) {
  JudgedFacts facts = measured(30);
  facts.closing.worst_output.reset();
  const auto judged = [&](size_t shown, double score_loss = 0) {
    facts.closing.report.detections = {1, 0, shown, score_loss};
    return judge(facts);
  };
  EXPECT_EQ(judged(10).quality, Quality::Good);
  EXPECT_EQ(judged(9).quality, Quality::Unknown);
  EXPECT_EQ(judged(2, 0.47).reasons.front(),
            "only 2 detections of FP32 have a score of 0.5 or more in 16 samples: fewer than 10 tell nothing (their "
            "scores change by 47 % on average)");
  facts.labelled = true;
  EXPECT_EQ(judged(9).quality, Quality::Good) << "labels judge";
  facts.labelled = false;
  facts.closing.worst_output = {"map", 0};
  EXPECT_EQ(judged(9).quality, Quality::Broken) << "another output is lost";
  facts.closing.worst_output = {"map", 30};
  EXPECT_EQ(judged(9).quality, Quality::Unknown) << "another output does not stand for the detections";
}

// Scores that fall as one change no mean average precision.
TEST(Judge, CallsNoDetectorGoodWhoseScoresFell) {
  JudgedFacts facts = measured(30);
  const auto quality = [&](double score_loss) {
    facts.closing.report.detections = {1, 0, 100, score_loss};
    return judge(facts).quality.value();
  };
  EXPECT_EQ(quality(0.05), Quality::Good);
  EXPECT_EQ(quality(0.3), Quality::Doubtful);
  EXPECT_EQ(quality(0.47), Quality::Broken);
}

TEST(Judge, GradesAnEmbeddingByCosineAndNeighbours) {
  JudgedFacts facts = measured(30);
  facts.closing.worst_output.reset();
  const auto quality = [&](double cosine, size_t changed) {
    facts.closing.worst_cosine = {"y", {cosine}};
    facts.closing.worst_neighbours = {"y", {cosine, 64, changed}};
    return judge(facts).quality.value();
  };
  EXPECT_EQ(quality(0.984, 4), Quality::Good);
  EXPECT_EQ(judge(facts).reasons,
            (std::vector<std::string>{"cosine 0.9840 at 'y'", "60 of 64 nearest neighbours as in FP32 at 'y'"}));
  EXPECT_EQ(quality(0.95, 4), Quality::Doubtful);
  EXPECT_EQ(quality(0.9, 4), Quality::Broken);
  EXPECT_EQ(quality(0.99, 40), Quality::Broken);
  EXPECT_EQ(quality(std::numeric_limits<double>::quiet_NaN(), 0), Quality::Broken);
}

// occupancy3d by percentile 99: 17.3 dB for ONNX Runtime and 13.6 for TensorRT with a mean of -8; it lost 14 and 45
// points of IoU.
TEST(Judge, GradesARecognizerByItsWords) {
  const auto graded = [](double rise, double error) {
    JudgedFacts facts = measured(30);
    facts.words = {.rise = rise, .error = error, .clips = 243};
    return judge(facts);
  };
  EXPECT_EQ(graded(0.0213, 0.0108).quality, Quality::Doubtful) << "a decoder that loses two points of words";
  EXPECT_THAT(graded(0.0213, 0.0108).reasons, Contains(HasSubstr("word errors rise by 2.13 points on 243 clips")));
  EXPECT_EQ(graded(0.012, 0.006).quality, Quality::Good) << "within a standard error of a point";
  EXPECT_EQ(graded(-0.005, 0.006).quality, Quality::Good) << "fewer errors than FP32";
  EXPECT_EQ(graded(0.2, 0.01).quality, Quality::Broken);
}

TEST(Judge, LetsWordsStandForTheOutputsThatTheyAreReadFrom) {
  const auto graded = [](size_t clips) {
    JudgedFacts facts = measured(5);
    facts.words = {.rise = 0, .error = 0.001, .clips = clips};
    return judge(facts);
  };
  EXPECT_EQ(graded(100).quality, Quality::Good);
  EXPECT_EQ(graded(100).reasons.size(), 1U);
  EXPECT_EQ(graded(kFewestToJudge - 1).quality, Quality::Broken) << "of so few clips words tell little";
}

TEST(Judge, CallsNoOutputGoodWhoseMeanHidesTheError) {
  JudgedFacts facts = measured(17.3);
  const auto quality = [&](double about_mean) {
    facts.closing.worst_about_mean = {"'occupancy'", about_mean};
    return judge(facts).quality.value();
  };
  EXPECT_EQ(quality(10), Quality::Good);
  EXPECT_EQ(quality(9.2), Quality::Doubtful);
  EXPECT_EQ(quality(5.5), Quality::Broken);
  EXPECT_EQ(judge(facts).reasons.front(), "SQNR 5.5 dB at 'occupancy' about its mean");
}

TEST(Judge, CallsNoOutputGoodThatHidesALostPart) {
  JudgedFacts facts = measured(30);
  facts.closing.worst_block = {"'y', 4 to 84 of axis 2", 9.9};
  EXPECT_EQ(judge(facts).quality, Quality::Doubtful);
  facts.closing.worst_block->sqnr_db = 0.9;
  EXPECT_EQ(judge(facts).quality, Quality::Broken) << "the mean of the scores is as good";
  facts.closing.worst_block->sqnr_db = 10;
  EXPECT_EQ(judge(facts).quality, Quality::Good);
}

// Outputs of boxes and scores have no SQNR as a whole.
TEST(Judge, NamesTheWorstPartWhereItIsAllThereIs) {
  JudgedFacts facts = measured(30);
  facts.closing.worst_output.reset();
  facts.closing.worst_block = {"'y', 4 to 6 of axis 1", 12};
  EXPECT_EQ(judge(facts).quality, Quality::Good);
  EXPECT_EQ(judge(facts).reasons.front(), "SQNR 12.0 dB at 'y', 4 to 6 of axis 1");
}

// Multi-task networks: a map beside recognized boxes.
TEST(Judge, GradesTheOutputsBesideDetectionsToo) {
  JudgedFacts facts = measured(0);
  facts.closing.report.detections = {1, 0, 100};
  EXPECT_EQ(judge(facts).quality, Quality::Broken);
  EXPECT_EQ(judge(facts).reasons.front(), "SQNR 0.0 dB at 'logits'");
  facts.closing.worst_output->sqnr_db = 30;
  EXPECT_EQ(judge(facts).quality, Quality::Good);
  facts.closing.report.detections->agreement = 0.5;
  EXPECT_EQ(judge(facts).quality, Quality::Broken) << "a good map does not make up for lost detections";
}

TEST(Judge, TellsThatDetectionsWereNotComparedBesideAnOutputThatWas) {
  JudgedFacts facts = measured(30);
  EXPECT_THAT(judge(facts).caveats, IsEmpty());
  facts.closing.detects_nothing = true;
  EXPECT_EQ(judge(facts).quality, Quality::Good);
  EXPECT_THAT(judge(facts).caveats, Contains(HasSubstr("detections were not compared")));
  facts.closing.worst_output.reset();
  facts.closing.worst_sample.reset();
  EXPECT_EQ(judge(facts).quality, Quality::Unknown);
  EXPECT_THAT(judge(facts).reasons.front(), HasSubstr("FP32 detects nothing"));
}

TEST(Judge, TellsOfABlockThatIsNotSeenWithoutJudgingByIt) {
  JudgedFacts facts = measured(36.8);
  facts.closing.worst_unseen_block = {"'features', 19 to 19 of axis 1", -0.9, 9e-8};
  EXPECT_EQ(judge(facts).quality, Quality::Good);
  EXPECT_THAT(judge(facts).caveats, Contains("SQNR -0.9 dB at 'features', 19 to 19 of axis 1, which does not count: it "
                                             "has 9e-06 % of the output's power"));
  facts.closing.worst_unseen_block->sqnr_db = 20;
  EXPECT_THAT(judge(facts).caveats, IsEmpty()) << "it lost nothing";
}

// Power alone is no excuse.
TEST(Judge, CallsNothingGoodThatIsBelow3Db) {
  for (const Measure one : {Measure::Output, Measure::AboutMean, Measure::Block}) EXPECT_GT(rule_of(one).good_from, 3);
}

TEST(Judge, HasARuleForEachMeasureAndNoLimitsOfTheWrongOrder) {
  for (size_t i = 0; i < kVerdictRules.size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(kVerdictRules[i].measure), i);
    EXPECT_LT(kVerdictRules[i].broken_below, kVerdictRules[i].good_from);
  }
}

// States of a video model that are 0 in every sample get scale 1 and are cut to +-127 steps of it in use.
TEST(Judge, CallsAModelDoubtfulWithScalesThatNoSampleGave) {
  JudgedFacts facts = measured(30);
  facts.unseen = {"r1i", "r2i"};
  EXPECT_EQ(judge(facts).quality, Quality::Doubtful);
  EXPECT_EQ(judge(facts).reasons.front(),
            "2 values were 0 in every calibration sample, so their scales are a guess: 'r1i' and others");
  facts.closing.worst_output->sqnr_db = 2;
  EXPECT_EQ(judge(facts).quality, Quality::Broken) << "what was measured is worse";
  facts.unseen.clear();
  facts.closing.worst_output->sqnr_db = 30;
  EXPECT_EQ(judge(facts).quality, Quality::Good);
}

TEST(Judge, KnowsNothingWhereNothingCouldBeCompared) {
  JudgedFacts facts;
  facts.closing.report.samples = 16;
  EXPECT_EQ(judge(facts).quality, Quality::Unknown);
  EXPECT_THAT(judge(facts).reasons.front(), HasSubstr("no output could be compared"));
  facts.closing.uncomparable = {"speech"};
  EXPECT_THAT(judge(facts).reasons.front(), HasSubstr("'speech' has another shape"));
  facts.unseen = {"x"};
  EXPECT_EQ(judge(facts).quality, Quality::Unknown) << "a guessed scale compares nothing";
  facts.closing.worst_output = {"other", 30};
  EXPECT_EQ(judge(facts).quality, Quality::Doubtful) << "one of two outputs was compared";
  facts.closing.report.samples = 0;
  EXPECT_FALSE(judge(facts).quality) << "without data there is no verdict";
}

TEST(Judge, NamesTheWorstReasonFirst) {
  JudgedFacts facts = measured(20);
  facts.closing.decisions = {.all = 16, .agreeing = 2};
  EXPECT_EQ(judge(facts).reasons.front(), "2 of 16 classes as in FP32");
  EXPECT_THAT(judge(measured(2)).reasons.front(), HasSubstr("'logits'"));
}

TEST(Judge, SaysNothingOfWhatWasNotMeasured) {
  JudgedFacts facts = measured(0);
  facts.closing.report.samples = 0;
  EXPECT_FALSE(judge(facts).quality.has_value());
}

TEST(Judge, SaysInWordsWhereNothingWasQuantized) {
  JudgedFacts facts = measured(std::numeric_limits<double>::infinity());
  facts.quantized = false;
  EXPECT_FALSE(judge(facts).quality.has_value());
  EXPECT_THAT(judge(facts).caveats, Contains(HasSubstr("nothing was quantized")));
  EXPECT_THAT(judge(measured(30)).caveats, IsEmpty());
}

TEST(Judge, SaysInWordsWhereSamplesAreFewOrCalibratedWith) {
  JudgedFacts facts = measured(30);
  facts.calibration_samples = 7;
  facts.calibrated_with = facts.closing.report.samples;
  EXPECT_THAT(judge(facts).caveats, Contains(HasSubstr("fewer than 8")));
  EXPECT_THAT(judge(facts).caveats, Contains(HasSubstr("calibration samples themselves")));
  facts.calibration_samples = 8;
  facts.calibrated_with = 0;
  EXPECT_THAT(judge(facts).caveats, IsEmpty());
  facts.states = 3;
  EXPECT_THAT(judge(facts).caveats, Contains(HasSubstr("judged on single steps: the error of 3 states")));
}

TEST(Judge, CountsTheSamplesThatWereCalibratedWithWhereOthersWereNot) {
  JudgedFacts facts = measured(30);
  facts.calibrated_with = 3;
  EXPECT_THAT(judge(facts).caveats, Contains(HasSubstr("3 of the 16 measured samples are calibration samples")));
}

}  // namespace
}  // namespace detent
