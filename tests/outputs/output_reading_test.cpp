// Tests what outputs are taken for: by the graph where it tells, else by the numbers.
#include "outputs/output_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "exec/find_shapes.h"
#include "model/model.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using enum OutputMeaning;

std::string constant(const std::string& name, const std::vector<int64_t>& extents) {
  std::string shape, numbers;
  int64_t count = 1;
  for (const int64_t extent : extents) shape += (shape.empty() ? "" : ",") + std::to_string(extent), count *= extent;
  for (int64_t i = 0; i < count; ++i) numbers += (i > 0 ? "," : "") + std::to_string(0.5F + static_cast<float>(i % 7));
  return "float[" + shape + "] " + name + " = {" + numbers + "}";
}

std::vector<OutputReading> readings_of(const std::string& head, const std::string& constants, const std::string& nodes,
                                       const std::vector<Tensor>& inputs) {
  const Model model =
      parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g " + head + " <" + constants + "> {" + nodes + "}");
  return read_outputs(model.graph(), find_shapes(model.graph(), inputs), std::nullopt);
}

/// A network with one layer w of `extent` outputs h, and nodes behind it.
struct Case {
  const char* what;
  const char* layer;  ///< "vector", "steps", "image"
  int64_t extent;
  const char* output;  ///< its type
  const char* nodes;
  OutputMeaning kind;
  bool settled = true;
  std::optional<int64_t> axis = 1;
};

constexpr std::optional<int64_t> kNoAxis = std::nullopt;

const Case kCases[] = {
    {"a classifier", "vector", 10, "float[N,10] y", "y = Softmax (h)", Classes},
    {"its logarithm", "vector", 10, "float[N,10] y", "y = LogSoftmax <axis = 1> (h)", Classes},
    {"logits: only numbers tell", "vector", 10, "float[N,10] y", "y = Identity (h)", Classes, false},
    {"logits that ArgMax reads besides", "vector", 10, "float[N,10] y, int64[N] z",
     "y = Identity (h) z = ArgMax <axis = 1, keepdims = 0> (h)", Classes},
    {"a layer of features", "vector", 64, "float[N,64] y", "y = Relu (h)", Classes, false},
    {"several labels", "vector", 20, "float[N,20] y", "y = Sigmoid (h)", Signal},
    {"a pooled output", "vector", 64, "float[N,64] y", "y = Tanh (h)", Embedding},
    {"actions", "vector", 6, "float[N,6] y", "y = Tanh (h)", Signal},
    {"a face", "vector", 64, "float[N,64] y", "n = ReduceL2 <axes = [1]> (h) y = Div (h, n)", Embedding},
    {"a sentence, with a least length", "vector", 64, "float[N,64] y",
     "q = Mul (h, h) r = ReduceSum (q, last) s = Sqrt (r) n = Max (s, one) y = Div (h, n)", Embedding},
    {"a quaternion", "vector", 4, "float[N,4] y", "n = ReduceL2 <axes = [1]> (h) y = Div (h, n)", Signal},
    {"one number", "vector", 1, "float[N,1] y", "y = Identity (h)", Signal, true, kNoAxis},
    {"as many numbers as were read", "vector", 8, "float[N,8] y", "y = Identity (h)", Signal},
    {"as many, and a Softmax", "vector", 8, "float[N,8] y", "y = Softmax (h)", Classes},
    {"hidden states", "steps", 64, "float[N,6,64] y",
     "m = ReduceMean <axes = [2]> (h) d = Sub (h, m) q = Mul (d, d) v = ReduceMean <axes = [2]> (q) e = Add (v, one) "
     "s = Sqrt (e) n = Div (d, s) y = Mul (n, one)",
     Embedding, true, 2},
    {"hidden states, normalized by one operator", "steps", 64, "float[N,6,64] y",
     "n = LayerNormalization (h, scale) y = Add (n, one)", Embedding, true, 2},
    {"the mean of all steps", "steps", 64, "float[N,64] y", "y = ReduceMean <axes = [1], keepdims = 0> (h)", Embedding},
    {"letters over time (CTC)", "steps", 12, "float[N,6,12] y", "y = LogSoftmax <axis = 2> (h)", Tokens, true, 2},
    {"letters, steps in front", "steps", 12, "float[6,N,12] y",
     "t = Transpose <perm = [1, 0, 2]> (h) y = Softmax <axis = 2> (t)", Tokens, true, 2},
    {"tags, classes in front of steps", "steps", 12, "float[N,12,6] y",
     "s = Softmax <axis = 2> (h) y = Transpose <perm = [0, 2, 1]> (s)", Tokens},
    {"tags without a Softmax", "steps", 12, "float[N,6,12] y", "y = Identity (h)", Tokens, false, 2},
    {"labels of steps", "steps", 12, "int64[N,6] y", "y = ArgMax <axis = 2, keepdims = 0> (h)", Tokens, true, kNoAxis},
    {"activities of steps", "steps", 4, "float[N,6,4] y", "y = Sigmoid (h)", Signal, true, 2},
    {"a map of classes", "image", 5, "float[1,5,8,8] y", "y = Softmax <axis = 1> (h)", ClassMap},
    {"a map with classes behind", "image", 5, "float[1,8,8,5] y",
     "t = Transpose <perm = [0, 2, 3, 1]> (h) y = Softmax <axis = 3> (t)", ClassMap, true, 3},
    {"a map with classes behind, without a Softmax", "image", 5, "float[1,8,8,5] y",
     "y = Transpose <perm = [0, 2, 3, 1]> (h)", ClassMap, false, 3},
    {"a depth map", "image", 1, "float[1,1,8,8] y", "y = Relu (h)", Signal, true, kNoAxis},
    {"pooled features", "image", 64, "float[1,64,1,1] y", "y = GlobalAveragePool (h)", Embedding},
    {"a classifier that ends in pooling", "image", 10, "float[1,10,1,1] y", "y = GlobalAveragePool (h)", Classes,
     false},
    {"a waveform", "image", 1, "float[1,64] y", "y = Flatten (h)", Signal, true, kNoAxis},
};

std::vector<OutputReading> readings_of(const Case& one) {
  const std::string layer = one.layer;
  const std::string extent = std::to_string(one.extent);
  const std::string constants = constant("w", layer == "image" ? std::vector<int64_t>{one.extent, 3, 1, 1}
                                                               : std::vector<int64_t>{8, one.extent}) +
                                ", " + constant("scale", {one.extent}) + ", float one = {1}, int64[1] last = {-1}";
  const std::string input = layer == "image" ? "float[1,3,8,8]" : layer == "steps" ? "float[N,6,8]" : "float[N,8]";
  const Shape shape = layer == "image" ? Shape{1, 3, 8, 8} : layer == "steps" ? Shape{1, 6, 8} : Shape{1, 8};
  const std::string op = layer == "image" ? "Conv" : layer == "steps" ? "MatMul" : "Gemm";
  return readings_of("(" + input + " x) => (" + one.output + ")", constants, "h = " + op + " (x, w) " + one.nodes,
                     {Tensor(DataType::Float32, shape)});
}

TEST(ReadOutputs, TakesEachForWhatItIs) {
  for (const Case& one : kCases) {
    const OutputReading reading = readings_of(one).front();
    EXPECT_EQ(name_of(reading.meaning.kind), name_of(one.kind)) << one.what << ": " << reading.source;
    EXPECT_EQ(reading.meaning.settled, one.settled) << one.what << ": " << reading.source;
    if (is_of_classes(one.kind) || one.kind == Embedding) {
      EXPECT_EQ(reading.axis, one.axis) << one.what;
    }
  }
}

TEST(ReadOutputs, KnowsAVocabulary) {
  Tensor ids(DataType::Int64, {1, 6});
  std::ranges::fill(ids.mutable_data<int64_t>(), 0);
  const auto found =
      readings_of("(int64[N,6] ids) => (float[N,6,9] y)", constant("table", {9, 8}) + ", " + constant("w", {8, 9}),
                  "e = Gather (table, ids) y = MatMul (e, w)", {ids});
  EXPECT_EQ(found.front().meaning.kind, Tokens);
  EXPECT_TRUE(found.front().meaning.settled);
}

TEST(ReadOutputs, TakesWeightsOfAttentionForNoClasses) {
  const auto found =
      readings_of("(float[1,6,8] x) => (float[1,6,6] y)", constant("w", {8, 8}),
                  "q = MatMul (x, w) k = Transpose <perm = [0, 2, 1]> (x) s = MatMul (q, k) y = Softmax <axis = 2> (s)",
                  {Tensor(DataType::Float32, {1, 6, 8})});
  EXPECT_EQ(found.front().meaning.kind, Signal);
}

// Files with pairs.
TEST(ReadOutputs, SeesThroughCodes) {
  const auto found =
      readings_of("(float[1,8] x) => (float[1,10] y)", constant("w", {8, 10}) + ", float s = {0.1}, int8 z = {0}",
                  "q = QuantizeLinear (w, s, z) d = DequantizeLinear (q, s, z) h = Gemm (x, d) "
                  "hq = QuantizeLinear (h, s, z) hd = DequantizeLinear (hq, s, z) p = Softmax (hd) "
                  "pq = QuantizeLinear (p, s, z) y = DequantizeLinear (pq, s, z)",
                  {Tensor(DataType::Float32, {1, 8})});
  EXPECT_EQ(found.front().meaning.kind, Classes);
  EXPECT_THAT(describe_output(found.front(), {}).reason, HasSubstr("10 classes on axis 1: of a Softmax"));
}

TEST(ReadOutputs, ReadsTheNumbersThatArgMaxChoosesAmong) {
  const auto found =
      readings_of("(float[1,8] x) => (int64[1] y)", constant("w", {8, 10}),
                  "h = Gemm (x, w) y = ArgMax <axis = 1, keepdims = 0> (h)", {Tensor(DataType::Float32, {1, 8})});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].meaning.kind, Classes);
  EXPECT_EQ(found[1].name, "h");
  EXPECT_EQ(found[1].meaning.kind, Classes);
}

using Rows = std::vector<std::vector<float>>;

Rows normal_rows(size_t count, size_t length, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Rows rows(count, std::vector<float>(length));
  for (auto& row : rows) std::ranges::generate(row, [&] { return normal(generator); });
  return rows;
}

/// Rows of which one number, another one in each, is higher.
Rows with_one_ahead(size_t count, size_t length) {
  constexpr float kAhead = 6;
  Rows rows = normal_rows(count, length);
  for (size_t i = 0; i < rows.size(); ++i) rows[i][i * 7 % length] += kAhead;
  return rows;
}

OutputMeaning of_rows(const Rows& rows, bool named = false) {
  RowFacts facts;
  for (const auto& row : rows) facts.add(row);
  const auto extent = static_cast<int64_t>(rows.front().size());
  return decide_meaning({.settled = false, .named_classes = named, .extent = extent}, facts);
}

// One number leads by chance in three of four such rows.
TEST(DecideMeaning, TakesRandomVectorsForEmbeddings) {
  for (const size_t count : {1U, 4U, 24U, 200U})
    for (unsigned seed = 1; seed <= 20; ++seed)
      EXPECT_EQ(of_rows(normal_rows(count, 384, seed)), Embedding) << count << " rows, seed " << seed;
}

TEST(DecideMeaning, TakesRowsThatOneLeadsForClasses) {
  for (const size_t length : {10U, 384U, 1000U}) EXPECT_EQ(of_rows(with_one_ahead(24, length)), Classes) << length;
  EXPECT_NE(of_rows(normal_rows(24, 10)), Classes);
}

// Logits that Softmax and weight decay trained: of two classes one falls as the other rises.
TEST(DecideMeaning, TakesNumbersThatAddUpToNothingForClasses) {
  Rows logits = normal_rows(24, 2), free = logits;
  for (auto& row : logits) row[1] = -row[0];
  EXPECT_EQ(of_rows(logits), Classes);
  EXPECT_EQ(of_rows(free), Signal);
}

TEST(DecideMeaning, TakesOrderedNumbersForASignal) {
  Rows wave = normal_rows(24, 96);
  for (auto& row : wave)
    for (size_t i = 1; i < row.size(); ++i) row[i] = 0.9F * row[i - 1] + 0.4F * row[i];
  EXPECT_EQ(of_rows(wave), Signal) << "a forecast";
  EXPECT_EQ(of_rows(normal_rows(24, 96)), Embedding);
}

TEST(DecideMeaning, TakesCoordinatesForASignal) {
  Rows landmarks = normal_rows(24, 136);
  for (auto& row : landmarks)
    for (size_t i = 0; i < row.size(); ++i) row[i] = 0.5F + 0.4F * std::sin(static_cast<float>(i)) + 0.01F * row[i];
  EXPECT_EQ(of_rows(landmarks), Signal);
  EXPECT_EQ(of_rows(normal_rows(24, 4)), Signal) << "offsets of a box";
}

TEST(DecideMeaning, LetsTheNameDecideWhereOneLeads) {
  EXPECT_EQ(of_rows(normal_rows(24, 50), true), Classes);
  EXPECT_EQ(of_rows(normal_rows(24, 50)), Signal);
  Rows close = normal_rows(24, 50);
  for (auto& row : close) row[0] = row[1] = 5;
  EXPECT_NE(of_rows(close, true), Classes);
}

TEST(DecideMeaning, KnowsNothingWithoutNumbers) {
  EXPECT_EQ(decide_meaning({.settled = false, .extent = 10}, {}), Unknown);
  EXPECT_EQ(decide_meaning({.kind = Signal}, {}), Signal) << "the graph does";
}

TEST(ApplyTask, SettlesTheOutputThatLabelsJudge) {
  std::vector<OutputReading> readings{
      {.name = "map", .meaning = {.kind = ClassMap, .settled = false, .extent = 4}, .places = " at each of 8x8 places"},
      {.name = "logits", .meaning = {.settled = false, .extent = 384}}};
  apply_task(readings, MetricSource::Labels);
  EXPECT_FALSE(readings[0].meaning.settled);
  EXPECT_TRUE(readings[1].meaning.settled);
  EXPECT_EQ(describe_output(readings[1], {}).reason, "384 classes on axis 1: the data have their truth");
  apply_task(readings, MetricSource::Masks);
  EXPECT_TRUE(readings[0].meaning.settled);
}

}  // namespace
}  // namespace detent
