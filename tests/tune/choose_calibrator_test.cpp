#include "detent/detent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "core/files/temporary.h"
#include "datasets/base/npy_writer.h"
#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"
#include "tune/choose_calibrator.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Gt;

constexpr int64_t kSamples = 40;
constexpr int64_t kInputs = 64;

/// y = x W: 64 inputs, 8 outputs. Element (i, j) of W from `weight`.
class CalibratorAuto : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = make_temporary_folder(::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// offset  is added to y, in floats.
  void write_network(const std::function<float(int64_t, int64_t)>& weight, int offset = 0) const {
    Model model =
        parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[N, 64] x) => (float[N, 8] y) <float[1] w = {0}, float offset = {)" +
                         std::to_string(offset) + "}> { " +
                         (offset == 0 ? "y = MatMul (x, w)" : "m = MatMul (x, w)  y = Add (m, offset)") + " }");
    Tensor w(DataType::Float32, {kInputs, 8});
    for (int64_t i = 0; i < kInputs; ++i)
      for (int64_t j = 0; j < 8; ++j) w.mutable_data<float>()[static_cast<size_t>(i * 8 + j)] = weight(i, j);
    GraphPatch patch;
    patch.reason = "weights of the test";
    patch.replace_constants = {{"w", w}};
    apply_patch(model, patch);
    fs::remove(folder_ / "model.onnx");
    write_model(model, folder_ / "model.onnx");
  }
  void write_data(const std::function<float(int64_t, int64_t)>& element) const {
    Tensor x(DataType::Float32, {kSamples, kInputs});
    for (int64_t n = 0; n < kSamples; ++n)
      for (int64_t i = 0; i < kInputs; ++i)
        x.mutable_data<float>()[static_cast<size_t>(n * kInputs + i)] = element(n, i);
    fs::remove(folder_ / "x.npy");
    write_npy(folder_ / "x.npy", x);
  }

  [[nodiscard]] QuantizeOptions options(const std::string& output = "out.onnx") const {
    QuantizeOptions options;
    options.model = folder_ / "model.onnx";
    options.data.sources = {(folder_ / "x.npy").string()};
    options.calibrator = "auto";
    options.output = folder_ / output;
    options.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
    return options;
  }

  static std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

/// Returns -127 ... 127 in no order that a network could use.
int64_t code(int64_t n, int64_t i) { return (n * kInputs + i) * 101 % 255 - 127; }

float weight_code(int64_t i, int64_t j) { return static_cast<float>((i * 8 + j) * 31 % 255 - 127) / 128; }

double score(const CalibratorMeasurement& measured, const std::string& calibrator) {
  for (const auto& candidate : measured.candidates)
    if (candidate.calibrator == calibrator) return candidate.score_db;
  ADD_FAILURE() << calibrator << " was not measured";
  return 0;
}

std::string winner(const CalibratorMeasurement& measured) { return measured.candidates.at(measured.winner).calibrator; }

TEST_F(CalibratorAuto, ClipsAnOutlierThatTheNetworkDoesNotUse) {
  // x lies in [-1, 1], except one element of 1000 that meets weights of 0. A range that keeps it has steps of 8. Bins
  // are 1/4 wide, and entropy and mse keep at least 128 of them: steps of 1/4. Percentile 99.9 (2557.4 of 2560
  // elements) and the quantiles over samples (one of 40 differs) get down to 1: steps of 1/127.
  write_network([](int64_t i, int64_t j) { return i == 0 ? 0 : weight_code(i, j); });
  write_data([](int64_t n, int64_t i) {
    if (i == 0) return n == 11 ? 1000.0F : 0.0F;
    return static_cast<float>(code(n, i)) / 127;
  });
  const QuantizeReport report = quantize_model(options());
  ASSERT_TRUE(report.measured.has_value());
  const CalibratorMeasurement& measured = *report.measured;
  EXPECT_EQ(report.calibrator, winner(measured));
  ASSERT_EQ(report.values.size(), 1U);
  EXPECT_LT(report.values[0].max, 1.25) << winner(measured) << ": a bin more than 1";
  EXPECT_LT(score(measured, "max"), 2);  // everything rounds to 0: the noise is the signal, at most the average one
  // 32 times finer steps are 30 dB; clipping 0.1 % and the weights' rounding take some of it.
  EXPECT_GT(score(measured, "percentile:99.9"), score(measured, "mse") + 15);
}

TEST_F(CalibratorAuto, KeepsWhatSingleSamplesNeed) {
  // One sample in 24 is 6 times as large as the others, as those to come may be. Samplemax 95 cuts it; whichever
  // samples a choice by name hashes sees first, it costs that one 30 dB and gives the others 15.
  for (const int64_t large : {3, 7, 12, 18, 23}) {
    write_network(weight_code);
    write_data([&](int64_t n, int64_t i) {
      return 127 * std::sin(static_cast<float>(n % 24 * kInputs + i)) * (n % 24 == large ? 6.0F : 1.0F);
    });
    QuantizeOptions few = options();
    few.data.limit = 24;
    few.overwrite = true;
    const QuantizeReport report = quantize_model(few);
    ASSERT_EQ(report.values.size(), 1U);
    EXPECT_GT(report.values[0].max, 127 * 5) << large << ": " << winner(report.measured.value());
  }
}

TEST_F(CalibratorAuto, ClipsNothingThatLiesOnTheGrid) {
  // Inputs are multiples of 1/127 up to 127 of them, weights are -1, 0 and 1: with max all of them are as exact as
  // floats. Two of the 2560 elements lie beyond 100/127, so percentile 99.9 cuts them off.
  write_network([](int64_t i, int64_t j) { return static_cast<float>((5 * i + j) % 3 - 1); });
  write_data([](int64_t n, int64_t i) {
    if (i == 5 && (n == 3 || n == 30)) return n == 3 ? 1.0F : -1.0F;
    return static_cast<float>(code(n, i) % 101) / 127;
  });
  const QuantizeReport report = quantize_model(options());
  const CalibratorMeasurement& measured = report.measured.value();
  EXPECT_EQ(winner(measured), "max");
  EXPECT_GT(score(measured, "max"), 120) << "as exact as floats";
  EXPECT_LT(score(measured, "percentile:99.9"), 60);
}

TEST_F(CalibratorAuto, ChoosesBeyondSixtyDecibelsAsBelow) {
  // As above, behind a constant that makes the signal 10^6 times larger beside the same noise: 60 dB more for all.
  const auto measure = [&](int offset) {
    write_network([](int64_t i, int64_t j) { return i == 0 ? 0 : weight_code(i, j); }, offset);
    write_data([](int64_t n, int64_t i) {
      return i == 0 ? (n == 11 ? 1000.0F : 0.0F) : static_cast<float>(code(n, i)) / 127;
    });
    return quantize_model(options("out" + std::to_string(offset) + ".onnx")).measured.value();
  };
  const CalibratorMeasurement below = measure(0), beyond = measure(4000);
  EXPECT_LT(score(below, winner(below)), 60);
  EXPECT_GT(score(beyond, winner(beyond)), 70);
  EXPECT_EQ(winner(beyond), winner(below));
  EXPECT_GT(score(beyond, winner(beyond)), score(beyond, "mse") + 15) << "not all alike";
}

TEST_F(CalibratorAuto, MeasuresElevenCalibratorsInTheOrderOfTheList) {
  write_network(weight_code);
  write_data([](int64_t n, int64_t i) { return static_cast<float>(code(n, i)); });
  std::string names;
  const QuantizeReport report = quantize_model(options());
  for (const auto& candidate : report.measured.value().candidates) names += candidate.calibrator + " ";
  EXPECT_EQ(names,
            "max mse entropy entropy:unbounded percentile:99.9 percentile:99.99 percentile:99.999 samplemax:99 "
            "samplemax:95 samplemax:90 samplemax:50 ");
}

/// Returns the numbers of samples that candidates were measured on.
std::set<size_t> sample_counts(const QuantizeReport& report) {
  std::set<size_t> counts;
  for (const auto& candidate : report.measured.value().candidates) counts.insert(candidate.error.samples);
  return counts;
}

TEST_F(CalibratorAuto, MeasuresOnMoreSamplesOnlyWhatMayStillWin) {
  write_network(weight_code);
  write_data([](int64_t n, int64_t i) { return static_cast<float>(code(n, i) * code(i, n)); });
  EXPECT_THAT(sample_counts(quantize_model(options())), ElementsAre(8, Gt(8)));
  // Best measures all on all samples. Its choice is another here, and no better: the default's stays.
  QuantizeOptions thorough = options("best.onnx");
  thorough.accuracy = Accuracy::Best;
  EXPECT_THAT(sample_counts(quantize_model(thorough)), ElementsAre(8, Gt(8)));
  write_data([](int64_t n, int64_t i) { return static_cast<float>(code(n, i)); });
  thorough.overwrite = true;
  EXPECT_THAT(sample_counts(quantize_model(thorough)), ElementsAre(kSamples)) << "both choose the same";
}

/// Counts the searches for ruinous layers.
class SearchCounter : public Reporter {
 public:
  void begin(std::string_view task, size_t) override { searches_ += task == "looking for layers that 8 bits ruin"; }
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view) override {}
  [[nodiscard]] int searches() const { return searches_; }

 private:
  int searches_ = 0;
};

/// y = x W + (c x) v: a ninth of the multiplications reads c x, whose element 0 is `largest` times as large as the
/// others and meets a weight of 0.
TEST_F(CalibratorAuto, LooksForRuinousLayersWhereNoCandidateServes) {
  const auto searches_with = [&](const std::string& largest) {
    Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
      g (float[N, 64] x) => (float[N, 8] y) <float[1] w = {0}, float[1] c = {0}, float[1] v = {0}>
      { a = MatMul (x, w)  m = Mul (x, c)  b = MatMul (m, v)  y = Add (a, b) })");
    Tensor w(DataType::Float32, {kInputs, 8}), c(DataType::Float32, {kInputs}), v(DataType::Float32, {kInputs, 1});
    for (int64_t i = 0; i < kInputs; ++i) {
      for (int64_t j = 0; j < 8; ++j) w.mutable_data<float>()[static_cast<size_t>(i * 8 + j)] = weight_code(i, j);
      c.mutable_data<float>()[static_cast<size_t>(i)] = i == 0 ? std::stof(largest) : 1.0F;
      v.mutable_data<float>()[static_cast<size_t>(i)] = i == 0 ? 0.0F : weight_code(i, 3);
    }
    GraphPatch patch;
    patch.reason = "weights of the test";
    patch.replace_constants = {{"w", w}, {"c", c}, {"v", v}};
    apply_patch(model, patch);
    fs::remove(folder_ / "model.onnx");
    write_model(model, folder_ / "model.onnx");
    write_data([](int64_t n, int64_t i) { return static_cast<float>(code(n, i)); });
    SearchCounter counter;
    QuantizeOptions counted = options(largest + ".onnx");
    counted.run.reporter = &counter;
    static_cast<void>(quantize_model(counted));
    return counter.searches();
  };
  EXPECT_EQ(searches_with("1"), 0);
  EXPECT_GT(searches_with("10000"), 0);
}

/// With 20 `mse` has 19.7 dB and another calibrator enough; with 80 none has.
TEST_F(CalibratorAuto, IsComparedWithTheLayersFloatThatQuantizeKeeps) {
  for (const float largest : {20.0F, 80.0F}) {
    write_network([](int64_t i, int64_t j) { return i == 0 ? 1e-4F : weight_code(i, j); });
    write_data([&](int64_t n, int64_t i) { return static_cast<float>(code(n, i)) * (i == 0 ? largest : 1.0F); });
    SearchCounter quantizing, comparing;
    QuantizeOptions one = options(std::to_string(largest) + ".onnx");
    one.bound.evaluation.data = one.data;
    one.run.reporter = &quantizing;
    const QuantizeReport written = quantize_model(one);
    CompareOptions all;
    all.model = one.model;
    all.data = all.evaluation.data = one.data;
    all.placement = one.placement;
    all.calibrators = {"max", "auto"};
    all.run.reporter = &comparing;
    const CompareCalibratorsReport report = compare_calibrators(all);
    EXPECT_EQ(comparing.searches(), quantizing.searches()) << largest;
    EXPECT_EQ(report.variants.back().metrics.at("sqnr_db"), written.error->sqnr_db) << largest;
    EXPECT_EQ(report.plan.coverage.int8_layers, written.plan.coverage.int8_layers) << largest;
  }
}

TEST_F(CalibratorAuto, WritesTheModelOfItsWinner) {
  write_network(weight_code);
  write_data([](int64_t n, int64_t i) { return static_cast<float>(code(n, i) * code(i, n)); });
  const QuantizeReport report = quantize_model(options("auto.onnx"));
  QuantizeOptions named = options("named.onnx");
  named.calibrator = report.calibrator;
  EXPECT_FALSE(quantize_model(named).measured.has_value());
  EXPECT_EQ(bytes_of(folder_ / "auto.onnx"), bytes_of(folder_ / "named.onnx"));
}

TEST_F(CalibratorAuto, MeasuresTheSameForAnyOrderAndNumberOfThreads) {
  write_network(weight_code);
  write_data([](int64_t n, int64_t i) { return static_cast<float>(code(n, i) * code(i, n)) * 0.37F; });
  QuantizeOptions one = options("one.onnx");
  one.run.threads = 1;
  const CalibratorMeasurement expected = quantize_model(one).measured.value();
  for (const size_t threads : {2, 3}) {
    QuantizeOptions shuffled = options("shuffled.onnx");
    shuffled.run.threads = threads;
    shuffled.data.shuffle = threads;
    shuffled.overwrite = true;
    const CalibratorMeasurement measured = quantize_model(shuffled).measured.value();
    for (size_t i = 0; i < expected.candidates.size(); ++i)
      EXPECT_EQ(measured.candidates[i].score_db, expected.candidates[i].score_db) << expected.candidates[i].calibrator;
    EXPECT_EQ(bytes_of(one.output), bytes_of(shuffled.output));
  }
}

TEST_F(CalibratorAuto, MeasuresWhatOverridesLeaveOpen) {
  write_network(weight_code);
  write_data([](int64_t n, int64_t i) { return static_cast<float>(code(n, i)); });
  QuantizeOptions fixed = options();
  fixed.override_file = folder_ / "ranges.json";
  std::ofstream(fixed.override_file) << R"({"x": {"amax": 254}})";
  const QuantizeReport report = quantize_model(fixed);
  ASSERT_EQ(report.values.size(), 1U);
  EXPECT_EQ(report.values[0].scale, 2);
  const CalibratorMeasurement& measured = report.measured.value();
  for (const auto& candidate : measured.candidates)
    EXPECT_EQ(candidate.score_db, measured.candidates[0].score_db);  // overrides fix all ranges
  EXPECT_EQ(winner(measured), "max");                                // the first of equals
}

TEST_F(CalibratorAuto, MeasuresUnsignedGrids) {
  write_network(weight_code);
  write_data([](int64_t n, int64_t i) { return static_cast<float>(code(n, i) + 128); });
  QuantizeOptions unsigned_options = options();
  unsigned_options.target = "onnxruntime";
  unsigned_options.format.activation = DataType::UInt8;  // a product of one row has scales at run time otherwise
  unsigned_options.placement.quantize_outputs = true;
  const QuantizeReport report = quantize_model(unsigned_options);
  ASSERT_FALSE(report.values.empty());
  EXPECT_EQ(report.values[0].min, 0);  // 1 .. 255 with 256 codes
  EXPECT_GT(score(report.measured.value(), winner(report.measured.value())), 30);
}

TEST_F(CalibratorAuto, PassesOverAValueThatIsAlwaysZero) {
  write_network(weight_code);
  write_data([](int64_t, int64_t) { return 0.0F; });
  const QuantizeReport report = quantize_model(options());
  ASSERT_EQ(report.values.size(), 1U);
  EXPECT_EQ(report.values[0].scale, 1);
  EXPECT_EQ(winner(report.measured.value()), "max");  // all are exact: the first
}

TEST_F(CalibratorAuto, NeedsData) {
  write_network(weight_code);
  const Model model = read_model(folder_ / "model.onnx");
  const auto none = [](const Calibrator&) { return std::map<ValueId, Range>{}; };
  PlacementPlan plan;
  plan.values[*model.graph().find_value("x")].pair = true;
  try {
    static_cast<void>(choose_calibrator({model, plan, {}, {}, none, nullptr, {}}));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST(IsAuto, IsThatWordAlone) {
  EXPECT_TRUE(is_auto("auto"));
  for (const char* other : {"", "auto:", "auto:3", "max", "Auto"}) EXPECT_FALSE(is_auto(other)) << other;
}

}  // namespace
}  // namespace detent
