// Tests the report of 16-bit floats: the plan is the one that quantize carries out, and bytes have the file's types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FloatPlan : public SmallNetwork {
 protected:
  [[nodiscard]] PlanModelOptions plan_options(const std::string& data,
                                              const std::string& target = "tensorrt:11") const {
    PlanModelOptions options;
    options.model = folder_ / "model.onnx";
    options.target = target;
    options.placement = this->options(data).placement;
    if (!data.empty()) options.data.sources = {data};
    return options;
  }
  [[nodiscard]] QuantizeOptions half_options(const std::string& data, IoType io = IoType::Keep) const {
    QuantizeOptions options = this->options(data);
    options.target = "tensorrt:11";
    options.calibrator = "max";
    options.format.io = io;
    options.overwrite = true;
    return options;
  }
};

std::vector<std::string> pairs_of(const PlanReport& plan) {
  std::vector<std::string> pairs;
  for (const auto& edge : plan.edges)
    if (is_pair(edge.reads)) pairs.push_back(edge.value + " -> " + edge.consumer);
  return pairs;
}

TEST_F(FloatPlan, WithDataIsThePlanThatQuantizeCarriesOut) {
  const std::string data = samples("calib", {1, 2, 0.5});
  const PlanReport plan = plan_model(plan_options(data));
  const QuantizeReport report = quantize_model(half_options(data));
  EXPECT_EQ(pairs_of(plan), pairs_of(report.plan));
  EXPECT_THAT(pairs_of(plan), SizeIs(4));
  ASSERT_TRUE(plan.floats && report.floats);
  EXPECT_EQ(plan.floats->half_nodes, report.floats->half_nodes);
  EXPECT_EQ(plan.coverage.casts, report.plan.coverage.casts);
  EXPECT_EQ(plan.coverage.types.half.activation_bytes, report.plan.coverage.types.half.activation_bytes);
}

TEST_F(FloatPlan, CountsBytesInTheTypesOfTheFile) {
  const CoverageReport coverage = plan_model(plan_options(samples("calib", {1, 2}))).coverage;
  constexpr int64_t kElements = 2 * 4 * 4;
  EXPECT_EQ(coverage.types.float32.activation_bytes, 0);
  EXPECT_EQ(coverage.types.int8.activation_bytes, 4 * kElements)
      << "x, whose pair begins in front of its Cast, r1, r2, r3";
  EXPECT_EQ(coverage.types.half.activation_bytes, 2 * 4 * kElements) << "c1, c2, c3, and what the Cast of y reads";
  EXPECT_EQ(coverage.types.int8.macs, coverage.macs);
  EXPECT_EQ(coverage.casts, 1) << "before y";
  // Without 16-bit floats the rest is FP32.
  const CoverageReport wide = plan_model(plan_options("", "tensorrt")).coverage;
  EXPECT_FALSE(wide.types.has_half());
  EXPECT_EQ(wide.types.float32.activation_bytes, 4 * 3 * kElements);
  EXPECT_EQ(wide.types.int8.activation_bytes, 4 * kElements);
  EXPECT_EQ(wide.casts, 0);
}

TEST_F(FloatPlan, InputsThatBecomeHalfAreNoFloat32BytesAndNoCasts) {
  // Neg reads x itself beside the pair of the Conv: there x counts, in its own type.
  write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y, float[1,2,4,4] z) <float[2,2,1,1] w = {0.5, 0.25, 1, 0.75}>
{ y = Conv (x, w)  z = Neg (x) })"),
              folder_ / "beside.onnx");
  const auto coverage = [&](const char* model, IoType io) {
    QuantizeOptions options = half_options(samples("calib", {1, 2}), io);
    options.model = folder_ / model;
    return quantize_model(options).plan.coverage;
  };
  EXPECT_EQ(coverage("beside.onnx", IoType::Keep).types.float32.activation_bytes, 4 * 2 * 4 * 4);
  EXPECT_EQ(coverage("beside.onnx", IoType::Keep).casts, 3);
  EXPECT_EQ(coverage("beside.onnx", IoType::Same).types.float32.activation_bytes, 0);
  EXPECT_EQ(coverage("beside.onnx", IoType::Same).casts, 0);
  EXPECT_EQ(coverage("model.onnx", IoType::Same).types.float32.activation_bytes, 0) << "nothing is taken off twice";
}

TEST_F(FloatPlan, NamesValuesOnlyWhereTheyWereMeasured) {
  const std::string data = samples("large", {100000});
  const PlanReport measured = plan_model(plan_options(data));
  ASSERT_TRUE(measured.floats);
  EXPECT_TRUE(measured.floats->values_measured);
  ASSERT_FALSE(measured.floats->exceptions.empty());
  const FloatReport::Exception& first = measured.floats->exceptions.front();
  EXPECT_EQ(first.rule, "overflow");
  EXPECT_EQ(first.value, "x");
  EXPECT_EQ(first.measured, 100000);
  EXPECT_GT(measured.coverage.types.float32.activation_bytes,
            plan_model(plan_options(samples("small", {1}))).coverage.types.float32.activation_bytes);
  const PlanReport blind = plan_model(plan_options(""));
  ASSERT_TRUE(blind.floats);
  EXPECT_FALSE(blind.floats->values_measured);
  EXPECT_THAT(blind.floats->exceptions, IsEmpty());
  EXPECT_GT(blind.floats->half_nodes, 0U);
}

TEST_F(FloatPlan, WithoutDataTellsConstantsThatDoNotFit) {
  const auto rules = [&](const std::string& epsilon) {
    const std::filesystem::path model = folder_ / ("epsilon" + epsilon + ".onnx");
    write_model(parse_model_text(std::string(
                                     R"(<ir_version: 8, opset_import: ["" : 17]> g (float[1,4] x) => (float[1,4] y)
<float e = {)") + epsilon + "}> { a = Abs (x)  b = Add (a, e)  y = Div (x, b) }"),
                model);
    PlanModelOptions options = plan_options("");
    options.model = model;
    const PlanReport plan = plan_model(options);
    std::vector<std::string> found;
    for (const auto& exception : plan.floats->exceptions) found.push_back(exception.rule);
    return found;
  };
  EXPECT_THAT(rules("1e-12"), Contains("constant"));
  EXPECT_THAT(rules("1e-3"), IsEmpty());
}

TEST_F(FloatPlan, WithOpenSizesSaysThatTheTypesAreNotKnown) {
  write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[1,W] x) => (float[1,W] y)
{ y = Relu (x) })"),
              folder_ / "open.onnx");
  PlanModelOptions options = plan_options("");
  options.model = folder_ / "open.onnx";
  const PlanReport open = plan_model(options);
  EXPECT_FALSE(open.floats);
  EXPECT_THAT(open.notes, Contains(HasSubstr("depends on the sizes, which are not known")));
  options.shapes["x"] = {1, 8};
  EXPECT_TRUE(plan_model(options).floats);
}

TEST_F(FloatPlan, OfFloat32IsAbsentAndShapesBesideDataAreRefused) {
  PlanModelOptions options = plan_options(samples("calib", {1}));
  options.float_type = FloatType::Fp32;
  EXPECT_FALSE(plan_model(options).floats);
  options.shapes["x"] = {1, 2, 4, 4};
  EXPECT_THROW((void)plan_model(options), Error);
}

TEST_F(FloatPlan, CastReportsItsSharesWithoutInt8) {
  CastModelOptions options;
  options.model = folder_ / "model.onnx";
  options.output = folder_ / "half.onnx";
  options.data.sources = {samples("calib", {1, 2})};
  const CastReport report = cast_model(options);
  EXPECT_EQ(report.coverage.types.int8.activation_bytes, 0);
  EXPECT_EQ(report.coverage.int8_layers, 0);
  EXPECT_EQ(report.coverage.types.half.macs, report.coverage.macs);
  EXPECT_GT(report.coverage.macs, 0);
  EXPECT_EQ(report.coverage.casts, 2);
}

}  // namespace
}  // namespace detent
