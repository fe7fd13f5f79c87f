#include "evaluate/closing_error.h"

#include <gtest/gtest.h>

#include <limits>

#include "evaluate/error_sums.h"
#include "evaluate/judge.h"
#include "model/graph_patch.h"
#include "run/memory_source.h"

namespace detent {
namespace {

/// The error of the network with `offset` 0.5 instead of 0.
ClosingError with_offset(const std::string& nodes_and_outputs, const std::vector<Tensor>& samples,
                         const RunSettings& settings = {}) {
  const Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]> g )" + nodes_and_outputs);
  Model changed = model.clone();
  GraphPatch patch;
  patch.reason = "another constant";
  patch.replace_constants = {{"offset", Tensor::from<float>({}, {0.5F})}};
  apply_patch(changed, patch);
  const MemorySource source(samples);
  return measure_closing_error(keep_outputs(model, source, samples.size(), settings), changed, source, settings);
}

Tensor row(std::vector<float> numbers) { return Tensor::from<float>({1, 2}, numbers); }

constexpr const char* kScores =
    "(float[N, 2] x) => (float[N, 2] logits) <float offset = {0}> { logits = Add (x, offset) }";

TEST(ClosingError, LeavesOutAnOutputThatIsAlways0) {
  const ClosingError found = with_offset(
      "(float[N, 2] x) => (float[N, 2] nothing, float[N, 2] y) <float offset = {0}, float no = {0}> "
      "{ nothing = Mul (x, no)  y = Add (x, offset) }",
      {row({3, 4})});
  ASSERT_TRUE(found.worst_output.has_value());
  EXPECT_EQ(found.worst_output->name, "y");
  EXPECT_DOUBLE_EQ(found.worst_output->sqnr_db, sqnr_db(25, 0.5));
}

TEST(ClosingError, IsThatOfTheJudgedOutputsAlone) {
  const char* network =
      "(float[N, 2] x) => (float[N, 2] kept, float[N, 2] moved) <float offset = {0}> "
      "{ kept = Abs (x)  moved = Add (x, offset) }";
  const auto judged = [&](const std::vector<std::string>& outputs) {
    return with_offset(network, {row({3, 4})}, {.judged_outputs = outputs});
  };
  EXPECT_EQ(judged({}).worst_output->name, "moved");
  EXPECT_EQ(judged({"moved"}).worst_output->name, "moved");
  const ClosingError kept = judged({"kept"});
  EXPECT_EQ(kept.worst_output->name, "kept");
  EXPECT_EQ(kept.worst_output->sqnr_db, std::numeric_limits<double>::infinity());
  EXPECT_EQ(kept.report.outputs.size(), 1U);
}

TEST(ClosingError, HoldsAWeakSampleAgainstTheAverageSignal) {
  const ClosingError found = with_offset(kScores, {row({3, 4}), row({0, 0})});
  ASSERT_TRUE(found.worst_sample.has_value());
  EXPECT_DOUBLE_EQ(found.worst_sample->sqnr_db, sqnr_db(12.5, 0.5));
}

TEST(ClosingError, DoesNotJudgeASampleOnWhichTheFloatModelIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const ClosingError found = with_offset(kScores, {row({3, 4}), row({nan, 0})});
  EXPECT_DOUBLE_EQ(found.worst_output->sqnr_db, sqnr_db(25, 0.5));
  EXPECT_DOUBLE_EQ(found.worst_sample->sqnr_db, sqnr_db(25, 0.5));
}

// The Add of -1 makes the logarithm of a negative number; the Sqrt behind it only passes NaN on.
TEST(ClosingError, NamesTheNodeThatMakesTheFirstNan) {
  const char* network =
      "(float[N, 2] x) => (float[N, 2] y, float[N, 2] z) <float offset = {0}> "
      "{ moved = Add (x, offset)  l = Log (moved)  y = Sqrt (l)  z = Neg (moved) }";
  const ClosingError found = with_offset(network, {row({3, 4}), row({-1, 2})});
  ASSERT_EQ(found.not_numbers.size(), 1U);
  EXPECT_EQ(found.not_numbers.front(),
            "FP32 has NaN in output 'y', first in sample 'sample1', made by node 'Log_1' (Log): such samples are not "
            "compared there");
  EXPECT_TRUE(with_offset(network, {row({3, 4})}).not_numbers.empty());
}

// Scores of what may not be chosen.
TEST(ClosingError, LeavesOutMinusInfinityThatBothHave) {
  const char* network =
      "(float[N, 2] x) => (float[N, 2] y) <float offset = {0}, float[2] open = {1, 0}> "
      "{ mask = Log (open)  moved = Add (x, offset)  y = Add (moved, mask) }";
  EXPECT_DOUBLE_EQ(with_offset(network, {row({3, 4})}).worst_output->sqnr_db, sqnr_db(9, 0.25));
  // A number above FP32's lowest is a score that may be chosen.
  const char* lost =
      "(float[N, 2] x) => (float[N, 2] y) "
      "<float offset = {0}, float zero = {0}, float[2] open = {1, 0}, float[2] none = {0, 9}> "
      "{ mask = Log (open)  on = Greater (offset, zero)  m = Where (on, none, mask)  y = Add (x, m) }";
  EXPECT_EQ(with_offset(lost, {row({3, 4})}).worst_output->sqnr_db, -std::numeric_limits<double>::infinity());
}

TEST(ClosingError, CountsClassesOfScoresAndOfArgMax) {
  const std::vector<Tensor> samples{row({1, 2}), row({1, 0.75F}), row({3, 1})};
  EXPECT_EQ(with_offset(kScores, samples).decisions->all, 3U);
  EXPECT_EQ(with_offset(kScores, samples).decisions->agreeing, 3U);
  // Half a unit more on the second score alone: the second sample changes sides.
  const ClosingError found = with_offset(
      "(float[N, 2] x) => (int64[N] class) <float offset = {0}, float[2] second = {0, 1}> "
      "{ shift = Mul (offset, second)  y = Add (x, shift)  class = ArgMax <axis = 1, keepdims = 0> (y) }",
      samples);
  EXPECT_EQ(found.decisions->all, 3U);
  EXPECT_EQ(found.decisions->agreeing, 2U);
  EXPECT_TRUE(found.decisions->classes);
  EXPECT_FALSE(found.worst_output.has_value());
}

// Zeros have no largest.
TEST(ClosingError, CountsNoClassesOfAnOutputThatIsAlways0) {
  const char* network =
      "(float[N, 2] x) => (float[N, 2] y) <float offset = {0}, float none = {0}> "
      "{ moved = Add (x, offset)  y = Mul (moved, none) }";
  const ClosingError found = with_offset(network, {row({3, 4}), row({1, 2})});
  EXPECT_FALSE(found.decisions);
  EXPECT_EQ(judge({.closing = found}).quality, Quality::Unknown);
}

TEST(ClosingError, CountsNoClassesOfCoordinates) {
  // The highest leads by 0.02 of about 0.4; the row that leads clearly is one of three.
  const auto near = [](float first) { return Tensor::from<float>({1, 4}, {first, 0.1F, 0.98F, 0.2F}); };
  const char* network = "(float[N, 4] x) => (float[N, 4] logits) <float offset = {0}> { logits = Add (x, offset) }";
  const ClosingError landmarks = with_offset(network, {near(1), near(1), near(2)});
  EXPECT_FALSE(landmarks.decisions.has_value());
  EXPECT_FALSE(landmarks.report.argmax_agreement.has_value());
  EXPECT_EQ(with_offset(network, {near(2), near(2), near(1)}).decisions->all, 3U);
}

// A normalized vector: two of four point elsewhere, and are no classes.
TEST(ClosingError, JudgesEmbeddingsByCosineAndNeighbours) {
  std::vector<Tensor> samples;
  for (int n = 0; n < 8; ++n) {
    std::vector<float> numbers(16);
    for (int i = 0; i < 16; ++i) numbers[static_cast<size_t>(i)] = static_cast<float>((n * 7 + i * (n + 3)) % 11) - 5;
    samples.push_back(Tensor::from<float>({1, 16}, numbers));
  }
  const char* network =
      "(float[N, 16] x) => (float[N, 16] y) <float offset = {0}, float huge = {%s}, float[16] first = "
      "{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}> "
      "{ o = Mul (offset, huge)  s = Mul (o, first)  m = Add (x, s)  n = ReduceL2 <axes = [1]> (m)  y = Div (m, n) }";
  const auto moved_by = [&](const std::string& units) {
    std::string text = network;
    return with_offset(text.replace(text.find("%s"), 2, units), samples);
  };
  const ClosingError near = moved_by("0.2");
  EXPECT_EQ(near.outputs.front().kind, OutputMeaning::Embedding);
  EXPECT_FALSE(near.decisions) << "the largest of an embedding is no class";
  EXPECT_FALSE(near.worst_output) << "its SQNR counts for nothing";
  ASSERT_TRUE(near.worst_cosine && near.worst_neighbours);
  EXPECT_GT(near.worst_cosine->error.cosine, 0.99);
  EXPECT_EQ(near.worst_neighbours->error.samples, 8U);
  EXPECT_EQ(near.worst_neighbours->error.changed, 0U);
  EXPECT_EQ(judge({.closing = near}).quality, Quality::Good);
  const ClosingError lost = moved_by("80");
  EXPECT_LT(lost.worst_cosine->error.cosine, 0.9);
  EXPECT_EQ(judge({.closing = lost}).quality, Quality::Broken);
}

// A score of presence that each sample has: the written model is 0.01 lower.
TEST(ClosingError, DoesNotJudgeASaturatedScoreAboutItsMean) {
  const auto with_logits = [](float low, float high) {
    std::vector<Tensor> samples;
    for (const float x : {low, high, low, high}) samples.push_back(Tensor::from<float>({1, 1}, {x}));
    return with_offset(
        "(float[N, 1] x) => (float[N, 1] y) <float offset = {0}, float share = {0.98}> "
        "{ o = Mul (offset, share)  m = Sub (x, o)  y = Sigmoid (m) }",
        samples);
  };
  const ClosingError saturated = with_logits(4.6F, 5.3F), spread = with_logits(-2, 2);
  EXPECT_FALSE(saturated.worst_about_mean);
  EXPECT_EQ(saturated.nearly_constant, std::vector<std::string>{"y"});
  EXPECT_GT(saturated.worst_output->sqnr_db, 35);
  EXPECT_EQ(judge({.closing = saturated}).quality, Quality::Good);
  EXPECT_TRUE(spread.worst_about_mean);
}

TEST(ClosingError, CountsNoClassesOfAnImage) {
  const ClosingError found =
      with_offset("(float[N, 2, 1, 2] x) => (float[N, 2, 1, 2] y) <float offset = {0}> { y = Add (x, offset) }",
                  {Tensor::from<float>({1, 2, 1, 2}, {1, 2, 3, 4})});
  EXPECT_FALSE(found.decisions.has_value());
  EXPECT_TRUE(found.worst_output.has_value());
}

/// y = x + offset in tenths, as integers: no classes, for a sample has two.
constexpr const char* kTenths =
    "(float[N, 2] x) => (int64[N, 2] tenths%s) <float offset = {0}, float ten = {10}> "
    "{ logits = Add (x, offset)  more = Mul (logits, ten)  tenths = Cast <to = 7> (more) }";

std::string tenths(const std::string& other_output) {
  std::string text = kTenths;
  return text.replace(text.find("%s"), 2, other_output);
}

TEST(ClosingError, JudgesIntegersElementByElementWhereThereIsNothingElse) {
  const ClosingError found = with_offset(tenths(""), {row({1, 2}), row({3, 4})});
  ASSERT_TRUE(found.decisions.has_value());
  EXPECT_FALSE(found.decisions->classes);
  EXPECT_EQ(found.decisions->all, 4U);
  EXPECT_EQ(found.decisions->agreeing, 0U) << "half a unit is five tenths";
}

TEST(ClosingError, DoesNotJudgeIntegersBesideAFloatOutput) {
  const ClosingError found = with_offset(tenths(", float[N, 2] logits"), {row({1, 2})});
  EXPECT_EQ(found.decisions->name, "logits") << "its larger score is a class";
  EXPECT_TRUE(found.decisions->classes);
  EXPECT_EQ(found.report.integer_agreement, 0) << "told, but not judged by";
}

TEST(ClosingError, TakesTheOutputWhereMostClassesAreOthers) {
  const ClosingError found = with_offset(
      "(float[N, 2] x) => (float[N, 2] kept_logits, float[N, 2] logits) "
      "<float offset = {0}, float[2] second = {0, 1}> "
      "{ kept_logits = Abs (x)  shift = Mul (offset, second)  logits = Add (x, shift) }",
      {row({1, 0.75F}), row({3, 1})});
  EXPECT_EQ(found.decisions->name, "logits");
  EXPECT_EQ(found.decisions->all, 2U);
  EXPECT_EQ(found.decisions->agreeing, 1U);
}

/// The error of an output of pixels beside scores, one of which is wrong by 0.5.
ClosingError with_wrong_column(const std::string& wrong) {
  return with_offset("(float[N, 2] x) => (float[N, 2] y) <float offset = {0}, float[2] wrong = " + wrong +
                         "> { o = Mul (wrong, offset)  y = Add (x, o) }",
                     {row({300, 0}), row({100, 1}), row({-300, 1}), row({-100, 0})});
}

TEST(ClosingError, ShowsABlockThatTheOutputHides) {
  const ClosingError scores = with_wrong_column("{0, 1}");
  EXPECT_GT(scores.worst_output->sqnr_db, 50);
  ASSERT_TRUE(scores.worst_block);
  EXPECT_EQ(scores.worst_block->name, "'y', 1 to 1 of axis 1");
  EXPECT_NEAR(scores.worst_block->sqnr_db, sqnr_db(1.0 / 3, 0.25), 1e-9);
  EXPECT_GT(with_wrong_column("{1, 0}").worst_block->sqnr_db, 50) << "half a pixel is nothing";
}

/// Selects rows of x by scores that the offset orders the other way: |0.1 - offset| and |0.4 - offset|.
constexpr const char* kSelected =
    "(float[1, 2, 1] x) => (float[1, 2, 1] y) <float offset = {0}, int64[1] k = {2}, int64[1] flat = {-1}> "
    "{ d = Sub (x, offset)  s = Abs (d)  v, i = TopK <axis = 1> (s, k)  f = Reshape (i, flat) "
    "  y = Gather <axis = 1> (x, f) }";
/// Exchanges both rows of x if the offset is 0.5.
constexpr const char* kExchanged =
    "(float[1, 2, 1] x) => (float[1, 2, 1] y) <float offset = {0}, float two = {2}, float[2] places = {0, 1}> "
    "{ first = Mul (offset, two)  d = Sub (places, first)  p = Abs (d)  i = Cast <to = 7> (p) "
    "  y = Gather <axis = 1> (x, i) }";

TEST(ClosingError, DoesNotCountTheOrderOfRowsThatATopKSelects) {
  const std::vector<Tensor> samples{Tensor::from<float>({1, 2, 1}, {0.1F, 0.4F})};
  EXPECT_EQ(with_offset(kSelected, samples).worst_output->sqnr_db, std::numeric_limits<double>::infinity());
  EXPECT_LT(with_offset(kExchanged, samples).worst_output->sqnr_db, 0) << "rows of fixed order";
}

TEST(ClosingError, NamesAnOutputWhoseShapeIsAnotherOne) {
  const ClosingError found = with_offset(
      "(float[N, 2] x) => (float[N, 2] y, float[M] kept) <float offset = {0}, float limit = {1.25}> "
      "{ y = Add (x, offset)  over = Greater (y, limit)  kept = Compress (y, over) }",
      {row({1, 2}), row({3, 4})});
  EXPECT_EQ(found.uncomparable, std::vector<std::string>{"kept"});
  ASSERT_EQ(found.report.outputs.size(), 1U);
  EXPECT_EQ(found.worst_output->name, "y");
}

// The first sample has the shape that it has in FP32: its numbers must not stand for the output.
TEST(ClosingError, MeasuresNoPartOfAnOutputWhoseShapeIsAnotherOneLater) {
  const ClosingError found = with_offset(
      "(float[1, 3] x) => (float[1, M] kept) <float offset = {0}, float limit = {1.25}, int64[1] flat = {3}> "
      "{ y = Add (x, offset)  f = Reshape (y, flat)  over = Greater (f, limit) "
      "  kept = Compress <axis = 1> (y, over) }",
      {Tensor::from<float>({1, 3}, {2, 300, 0}), Tensor::from<float>({1, 3}, {3, 200, 0}),
       Tensor::from<float>({1, 3}, {2, 100, 1})});
  EXPECT_EQ(found.uncomparable, std::vector<std::string>{"kept"});
  EXPECT_FALSE(found.worst_output);
  EXPECT_FALSE(found.worst_about_mean);
  EXPECT_FALSE(found.worst_block);
  EXPECT_FALSE(found.worst_sample);
}

// A detector whose number of rows depends on the scores: the changed one has no row below a score of a half.
TEST(ClosingError, ComparesDetectionsOfOtherNumbersOfRows) {
  const char* network = R"((float[1, 3, 6] x) => (float[M, 4] boxes, float[M] scores, int64[M] labels)
    <float offset = {0}, int64[1] zero = {0}, int64[1] one = {1}, int64[1] four = {4}, int64 score = {4}, int64 class = {5}>
    { rows = Squeeze (x, zero) box = Slice (rows, zero, four, one) s = Gather <axis = 1> (rows, score)
      c = Gather <axis = 1> (rows, class) c7 = Cast <to = 7> (c) above = Greater (s, offset) i = NonZero (above)
      at = Squeeze (i, zero) boxes = Gather (box, at) scores = Gather (s, at) labels = Gather (c7, at) })";
  const Tensor sample =
      Tensor::from<float>({1, 3, 6}, {0, 0, 8, 8, 0.75F, 3, 10, 0, 18, 8, 0.25F, 3, 20, 0, 28, 8, 0.5625F, 1});
  const ClosingError found = with_offset(network, {sample}, {.detections = "boxes+scores+labels"});
  EXPECT_TRUE(found.uncomparable.empty());
  ASSERT_TRUE(found.report.detections);
  EXPECT_EQ(found.report.detections->agreement, 1) << "what is lost scored less than a half";
  EXPECT_FALSE(found.worst_output) << "detections are judged as such";
  EXPECT_FALSE(found.worst_sample);
  EXPECT_EQ(found.report.worst, "boxes");
  EXPECT_DOUBLE_EQ(*found.report.sqnr_db, sqnr_db(0.75 * 0.75 + 0.25 * 0.25 + 0.5625 * 0.5625, 0.25 * 0.25));
  EXPECT_FALSE(found.decisions) << "labels are no decisions of a classifier";
  const ClosingError as_numbers = with_offset(network, {sample}, {.detections = "none"});
  EXPECT_EQ(as_numbers.uncomparable.size(), 3U);
}

}  // namespace
}  // namespace detent
