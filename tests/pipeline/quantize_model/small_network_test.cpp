// Tests reports and files of one small network.
#include "pipeline/small_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/engines/tensorrt/tensorrt_cache.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Samples of which s04.npy may be an outlier.
class PlantedSample : public SmallNetwork {
 protected:
  /// Options with ten samples; s04.npy reaches as far as `planted`, the others from 1 to 25/16.
  [[nodiscard]] QuantizeOptions planted_options(float planted) const {
    std::vector<float> reaches;
    for (size_t i = 0; i < 10; ++i) reaches.push_back(1 + static_cast<float>(i) / 16);
    reaches[4] = planted;
    return options(samples("data", reaches));
  }
};

/// A cache and a model written from the same table have the same scales.
class ClippedCache : public PlantedSample {
 protected:
  [[nodiscard]] std::filesystem::path table_of(float planted) const {
    return table(planted_options(planted).data, "table.dct");
  }
  /// Compares the scales of the model that is written by default from this table with those of the cache.
  void expect_same_scales(const std::filesystem::path& table) const {
    QuantizeOptions given = options("");
    given.table = table;
    const CacheExportOptions exported{.table = table, .output = folder_ / "cache", .calibrator = given.calibrator};
    static_cast<void>(export_cache(exported));
    const auto cache = parse_tensorrt_cache(TemporaryFolder::read(exported.output));
    const QuantizeReport report = quantize_model(given);
    ASSERT_EQ(report.values.size(), 4U);
    for (const auto& value : report.values) EXPECT_EQ(cache.scales.at(value.name), value.scale) << value.name;
  }
};

TEST_F(ClippedCache, HoldsTheScalesOfTheModelWhereSamplesAreAlike) { expect_same_scales(table_of(1.25F)); }

TEST_F(ClippedCache, HoldsTheScalesOfTheModelWhereAnOutlierIsClipped) { expect_same_scales(table_of(20)); }

class DroppedSamples : public PlantedSample {
 protected:
  [[nodiscard]] QuantizeReport quantize(float planted, OutlierPolicy policy) const {
    QuantizeOptions given = planted_options(planted);
    given.outliers = policy;
    return quantize_model(given);
  }
};

TEST_F(DroppedSamples, AreNamedAsThoseThatAreClippedAre) {
  for (const OutlierPolicy policy : {OutlierPolicy::Keep, OutlierPolicy::Clip, OutlierPolicy::Drop}) {
    const QuantizeReport report = quantize(20, policy);
    ASSERT_THAT(report.outliers.samples, SizeIs(1)) << name_of(policy);
    EXPECT_EQ(report.outliers.samples[0].sample, "s04.npy") << name_of(policy);
    EXPECT_EQ(report.outliers.samples[0].values, 4U) << name_of(policy);
  }
}

TEST_F(DroppedSamples, AreNoneWhereSamplesAreAlike) {
  const QuantizeReport report = quantize(1.25F, OutlierPolicy::Drop);
  EXPECT_THAT(report.outliers.samples, IsEmpty());
  EXPECT_EQ(report.samples, 10U);
}

/// A table of imported scales does not name the samples that they were measured on.
class UnknownCalibration : public SmallNetwork {
 protected:
  /// Writes the scales of these samples as a TensorRT cache and returns the table made from it.
  [[nodiscard]] std::filesystem::path imported_table(const std::string& data) const {
    const CacheExportOptions exported{.table = table(options(data).data, "own.dct"), .output = folder_ / "cache"};
    static_cast<void>(export_cache(exported));
    const CacheImportOptions import{
        .cache = exported.output, .model = folder_ / "model.onnx", .output = folder_ / "imported.dct"};
    static_cast<void>(import_cache(import));
    return import.output;
  }
};

TEST_F(UnknownCalibration, MakesNoClaimOfOtherSamples) {
  const std::string data = samples("data", std::vector<float>(12, 1.5F));
  QuantizeOptions given = options(data);
  given.table = imported_table(data);
  const QuantizeReport report = quantize_model(given);
  ASSERT_TRUE(report.error.has_value());
  EXPECT_THAT(report.error_source, Not(HasSubstr("calibration set"))) << "the cache was made of these very samples";
  EXPECT_THAT(report.error_source, Not(HasSubstr("calibration samples"))) << "and that is not known";
}

TEST_F(UnknownCalibration, IsNotThatOfATableThatNamesItsSamples) {
  const std::string data = samples("data", std::vector<float>(12, 1.5F));
  QuantizeOptions given = options(data);
  DataOptions some = given.data;
  some.limit = 4;
  given.table = table(some, "four.dct");
  EXPECT_THAT(quantize_model(given).error_source, HasSubstr("calibration set"));
}

/// R10 keeps the four small Convs float.
class NoInt8Layer : public SmallNetwork {
 protected:
  [[nodiscard]] QuantizeReport quantized(const std::string& equalize) const {
    QuantizeOptions given = options(samples("data", std::vector<float>(16, 1.0F)));
    given.placement.small_layers = PlacementOptions::SmallLayers::Auto;
    given.equalize.equalize = equalize;
    return quantize_model(given);
  }
};

TEST_F(NoInt8Layer, EqualizationMeasuresNothingAndSaysWhy) {
  const QuantizeReport report = quantized("auto");
  ASSERT_TRUE(report.equalized);
  EXPECT_EQ(report.equalized->samples, 0U);
  EXPECT_TRUE(report.equalized->values.empty());
  EXPECT_THAT(report.equalized->notes,
              testing::ElementsAre("nothing is INT8 on tensorrt, so --equalize auto does nothing"));
}

TEST_F(NoInt8Layer, FamiliesThatAreNamedAreEvenedOutAllTheSame) {
  const QuantizeReport report = quantized("relu");
  ASSERT_TRUE(report.equalized);
  EXPECT_FALSE(report.equalized->values.empty());
}

// Four Convs of the same size; the last one stays float, because a graph output carries no pair.
class SpeedNote : public SmallNetwork {
 protected:
  [[nodiscard]] std::vector<std::string> notes(const std::string& target, const std::string& exclude) const {
    QuantizeOptions given = options(samples("data", std::vector<float>(4, 1.0F)));
    given.target = target;
    if (!exclude.empty()) given.placement.exclude = {exclude};
    return quantize_model(given).notes;
  }
  /// Writes the network with this activation behind the first Conv.
  void write_network_with(const std::string& activation) const {
    std::filesystem::remove(folder_ / "model.onnx");
    write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y)
<float[2,2,1,1] w1 = {0.5, 0.25, 1, 0.75}, float[2,2,1,1] w2 = {1, 0.125, 0.5, 1.5},
 float[2,2,1,1] w3 = {0.25, 2, 1, 0.5}, float[2,2,1,1] w4 = {1, 0.5, 0.75, 0.25}>
{ c1 = Conv (x, w1)  r1 = )" + activation +
                                 R"( (c1)  c2 = Conv (r1, w2)  r2 = Relu (c2)
  c3 = Conv (r2, w3)  r3 = Relu (c3)  y = Conv (r3, w4) })"),
                folder_ / "model.onnx");
  }
};

TEST_F(SpeedNote, SaysHowManyMultiplicationsStayFloat) {
  EXPECT_THAT(notes("onnxruntime", "^Conv_0$"),
              Contains("INT8 will hardly be faster here: 50.0 % of the multiplications stay in float"));
}

TEST_F(SpeedNote, IsNotWrittenWhereMostMultiplicationsAreInt8) {
  EXPECT_THAT(notes("onnxruntime", ""), Not(Contains(HasSubstr("hardly be faster"))));
}

TEST_F(SpeedNote, SaysHowManyHardSwishRunInFloatBetweenInt8Layers) {
  write_network_with("HardSwish");
  EXPECT_THAT(notes("onnxruntime", ""),
              Contains("INT8 will hardly be faster here: 1 HardSwish between 3 INT8 layers run in float"));
}

TEST_F(SpeedNote, CountsNoActivationThatTheIntegerKernelTakesIn) {
  write_network_with("LeakyRelu");
  EXPECT_THAT(notes("onnxruntime", ""), Not(Contains(HasSubstr("hardly be faster"))));
}

TEST_F(SpeedNote, NamesTheCommandForFp16AloneIfTensorRTHasLittleInInt8) {
  EXPECT_THAT(notes("tensorrt", "^Conv_[024]$"),
              Contains(AllOf(HasSubstr("only 25.0 % of the multiplications are in INT8; FP16 alone may be as fast: "),
                             HasSubstr("detent cast " + (folder_ / "model.onnx").string() + " --data "),
                             HasSubstr(" --float-type fp16 -o " + (folder_ / "model.fp16.onnx").string()))));
  EXPECT_THAT(notes("tensorrt", "^Conv_0$"), Not(Contains(HasSubstr("FP16 alone")))) << "three of four are INT8";
  EXPECT_THAT(notes("onnxruntime", "^Conv_[024]$"), Not(Contains(HasSubstr("FP16 alone")))) << "no FP16 kernels there";
}

TEST_F(SpeedNote, IsNotWrittenForTensorRT) {
  EXPECT_THAT(notes("tensorrt", "^Conv_[024]$"), Not(Contains(HasSubstr("hardly be faster"))));
}

}  // namespace
}  // namespace detent
