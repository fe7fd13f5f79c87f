#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "detent/base/error.h"
#include "detent/detent.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr int kSide = 64;

/// The same pseudo-random numbers in (-0.5, 0.5) for every run.
std::string random_numbers(int count, uint64_t state) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    state = (state * 16807) % 2147483647;
    text += (i ? "," : "") + std::to_string(static_cast<double>(state) / 2147483647.0 - 0.5);
  }
  return text;
}

/// Two products of 64 rows and columns: every type takes both.
class CompareTypes : public ::testing::Test {
 protected:
  CompareTypes() {
    write_model(
        parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[N,16,64] x) => (float[N,16,64] y) "
                         "<float[64,64] w = {" +
                         random_numbers(kSide * kSide, 5) + "}, float[64,64] v = {" + random_numbers(kSide * kSide, 7) +
                         "}> { h = MatMul (x, w) r = Relu (h) y = MatMul (r, v) }"),
        folder_ / "model.onnx");
  }

  [[nodiscard]] CompareTypesOptions options(std::vector<std::string> types) const {
    CompareTypesOptions options;
    options.model = folder_ / "model.onnx";
    options.data.sources = {"random:normal,n=32,seed=1"};
    options.evaluation.data.sources = {"random:normal,n=8,seed=2"};
    options.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
    options.types.names = std::move(types);
    options.types.calibrator = "max";
    return options;
  }

  const TemporaryFolder folder_;
};

const TypeVariant& row(const CompareTypesReport& report, const std::string& type) {
  return *std::ranges::find(report.variants, type, &ComparedVariant::name);
}

TEST_F(CompareTypes, JudgesTheVeryFilesThatQuantizeWrites) {
  const CompareTypesOptions asked = options({"int8", "fp8", "int4"});
  const CompareTypesReport report = compare_types(asked);
  ASSERT_EQ(report.variants.size(), 3U);
  for (const auto& [name, type] : {std::pair("int8", CodeType::Int8), std::pair("fp8", CodeType::Fp8)}) {
    QuantizeOptions one;
    one.model = asked.model, one.data = asked.data, one.placement = asked.placement;
    one.placement.type = type;
    one.calibrator = "max";
    one.output = folder_ / (std::string(name) + ".onnx");
    one.bound.evaluation.data = asked.evaluation.data;
    const QuantizeReport written = quantize_model(one);
    EXPECT_EQ(row(report, name).size_bytes, written.output_bytes) << name;
    EXPECT_EQ(row(report, name).metrics.at("sqnr_db"), written.error->sqnr_db) << name;
    EXPECT_EQ(row(report, name).facts.quantized_layers, written.plan.coverage.int8_layers) << name;
    EXPECT_EQ(row(report, name).calibrator, "max");
  }
  QuantizeWeightsOptions weights;
  weights.model = asked.model, weights.output = folder_ / "int4.onnx";
  weights.data = asked.data, weights.nodes = asked.placement;
  weights.bound.evaluation.data = asked.evaluation.data;
  const QuantizeWeightsReport alone = quantize_weights(weights);
  const TypeVariant& int4 = row(report, "int4");
  EXPECT_EQ(int4.size_bytes, alone.output_bytes);
  EXPECT_EQ(int4.metrics.at("sqnr_db"), alone.error->sqnr_db);
  EXPECT_TRUE(int4.facts.by_inputs) << "32 samples of 16 vectors are more than 64 rows";
  EXPECT_EQ(int4.facts.weight_bytes.at("int4"), alone.weight_bytes);
  EXPECT_EQ(int4.calibrator, "") << "weights alone have no calibrator";
}

TEST_F(CompareTypes, CountsBytesOfWeightsByType) {
  const CompareTypesReport report = compare_types(options({"int8", "fp8", "int4"}));
  constexpr uint64_t kElements = 2 * kSide * kSide, kColumns = 2 * kSide;
  EXPECT_EQ(report.weight_bytes, 4 * kElements);
  // A byte a weight; for each column a scale of four bytes and a zero point of one. Shared scales belong to no weight.
  EXPECT_THAT(row(report, "int8").facts.weight_bytes, UnorderedElementsAre(Pair("int8", kElements + 5 * kColumns)));
  EXPECT_THAT(row(report, "fp8").facts.weight_bytes, UnorderedElementsAre(Pair("fp8", kElements + 5 * kColumns)));
  // Half a byte a weight, a scale for each 32.
  EXPECT_THAT(row(report, "int4").facts.weight_bytes,
              UnorderedElementsAre(Pair("int4", kElements / 2 + kElements / 8)));
  CompareTypesOptions channel = options({"int4"});
  channel.types.block = 0;
  EXPECT_THAT(compare_types(channel).variants.front().facts.weight_bytes,
              UnorderedElementsAre(Pair("int4", kElements / 2 + 4 * kColumns)));
}

TEST_F(CompareTypes, TakesTheSmallestFileWithinTheLimit) {
  CompareTypesOptions asked = options({"int8", "fp8", "int4"});
  const CompareTypesReport report = compare_types(asked);
  EXPECT_EQ(report.criterion, "sqnr_db");
  EXPECT_EQ(report.limit->option, "--min-sqnr 14") << "of a good verdict";
  EXPECT_FALSE(report.limit->given);
  EXPECT_EQ(report.limit->smallest, "int4") << "the smallest, though others are nearer to FP32";
  ASSERT_LT(row(report, "int4").metrics.at("sqnr_db"), row(report, report.winner).metrics.at("sqnr_db"));
  asked.types.min_sqnr_db = row(report, report.winner).metrics.at("sqnr_db");
  const CompareTypesReport strict = compare_types(asked);
  EXPECT_EQ(strict.limit->smallest, report.winner) << "the bound itself is within it";
  EXPECT_TRUE(strict.limit->given);
  asked.types.min_sqnr_db = *asked.types.min_sqnr_db + 1;
  EXPECT_EQ(compare_types(asked).limit->smallest, "") << "none";
}

TEST_F(CompareTypes, ATypeThatNoLayerTakesIsTheFloatModelAndNoCandidate) {
  CompareTypesOptions asked = options({"int4", "int8"});
  asked.types.block = 128;  // of 64 rows, which TensorRT does not divide
  const CompareTypesReport report = compare_types(asked);
  EXPECT_EQ(row(report, "int4").facts.quantized_layers, 0);
  EXPECT_EQ(report.winner, "int8");
  EXPECT_THAT(report.ties, ElementsAre());
  EXPECT_EQ(report.limit->smallest, "int8");
  asked.types.names = {"int4"};
  EXPECT_EQ(compare_types(asked).limit->smallest, "");
}

TEST_F(CompareTypes, GivesTheSameNumbersForAnyNumberOfThreads) {
  CompareTypesOptions asked = options({"int8", "int4"});
  asked.run.threads = 1;
  const CompareTypesReport one = compare_types(asked);
  asked.run.threads = 3;
  const CompareTypesReport three = compare_types(asked);
  for (size_t v = 0; v < one.variants.size(); ++v) {
    EXPECT_EQ(one.variants[v].metrics, three.variants[v].metrics);
    EXPECT_EQ(one.variants[v].size_bytes, three.variants[v].size_bytes);
  }
}

TEST_F(CompareTypes, RefusesWhatMakesNoSense) {
  const auto refusal = [](const CompareTypesOptions& asked) {
    return error_of<Error>([&] { static_cast<void>(compare_types(asked)); });
  };
  EXPECT_EQ(refusal(options({})).code(), ErrorCode::Usage);
  EXPECT_THAT(refusal(options({"int8", "int3"})).what(), HasSubstr("'int3' is not one of int8, fp8, int4"));
  EXPECT_THAT(refusal(options({"int8", "int8"})).what(), HasSubstr("twice"));
  CompareTypesOptions asked = options({"int8"});
  asked.types.max_drop = 0.01;
  EXPECT_THAT(refusal(asked).what(), HasSubstr("--max-drop needs a score"));
  asked.types.min_sqnr_db = 20;
  EXPECT_THAT(refusal(asked).what(), HasSubstr("exclude each other"));
  asked = options({"int4"});
  asked.types.block = 24;
  EXPECT_EQ(refusal(asked).code(), ErrorCode::InvalidOption);
  asked = options({"int8", "fp8"});
  asked.target = "onnxruntime";
  EXPECT_EQ(refusal(asked).code(), ErrorCode::InvalidOption) << "an engine without FP8";
}

}  // namespace
}  // namespace detent
