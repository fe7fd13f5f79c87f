// Tests that every search begins with the default's result and never ends below it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "datasets/base/npy_format.h"
#include "detent/detent.h"
#include "evaluate/float_network.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "tune/equalize/outlier_network.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

/// A network with a layer that 8 bits ruin, Conv_8, and its samples.
class SearchesBeginWithTheDefault : public ::testing::Test {
 protected:
  SearchesBeginWithTheDefault() {
    write_model(test::residual_network(256), folder_ / "model.onnx");
    write(test::residual_samples(24), "data.npy", {24, 16, 8, 8});
  }
  void write(const std::vector<Tensor>& samples, const std::string& name, const Shape& shape) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    file << format_npy_header(DataType::Float32, shape);
    for (const Tensor& sample : samples)
      file << std::string(reinterpret_cast<const char*>(sample.raw()), sample.byte_count());
  }
  [[nodiscard]] QuantizeOptions options() const {
    QuantizeOptions options;
    options.model = folder_ / "model.onnx";
    options.data.sources = {folder_ / "data.npy"};
    options.output = folder_ / "out.onnx";
    options.overwrite = true;
    return options;
  }
  /// Returns what the plan says of Conv_8.
  static std::string reason(const QuantizeReport& report) {
    for (const PlanReport::Layer& layer : report.plan.layers)
      if (layer.name == "Conv_8") return layer.reason;
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(SearchesBeginWithTheDefault, ABoundKeepsTheRuinousLayerFloatAndNoMoreThanItNeeds) {
  QuantizeOptions given = options();
  const QuantizeReport usual = quantize_model(given);
  ASSERT_THAT(reason(usual), HasSubstr("8 bits keep"));
  given.bound.min_sqnr_db = *usual.error->sqnr_db - 3;
  const QuantizeReport bound = quantize_model(given);
  EXPECT_EQ(bound.plan.coverage.int8_layers, usual.plan.coverage.int8_layers);
  EXPECT_EQ(reason(bound), reason(usual));
}

TEST_F(SearchesBeginWithTheDefault, TheBestLevelIsNotBelowIt) {
  QuantizeOptions given = options();
  const QuantizeReport usual = quantize_model(given);
  given.accuracy = Accuracy::Best;
  const QuantizeReport best = quantize_model(given);
  EXPECT_THAT(reason(best), HasSubstr("8 bits keep"));
  EXPECT_GE(*best.error->sqnr_db, *usual.error->sqnr_db);
  EXPECT_FALSE(best.accuracy.steps.empty());
}

TEST_F(SearchesBeginWithTheDefault, FamiliesAreJudgedBesideTheLayersThatStayFloat) {
  QuantizeOptions given = options();
  given.equalize.equalize = "auto";
  EXPECT_THAT(reason(quantize_model(given)), HasSubstr("8 bits keep"));
  given.accuracy = Accuracy::Fast;  // looks for none
  EXPECT_EQ(reason(quantize_model(given)), "quantized input and weight");
}

TEST_F(SearchesBeginWithTheDefault, OutliersThatTheDefaultEvensOutStayEvenWhereAutoFindsNoBetter) {
  std::filesystem::remove(folder_ / "model.onnx");
  write_model(test::outlier_network(64), folder_ / "model.onnx");
  write(test::rows(24), "data.npy", {24, 8, 16});
  QuantizeOptions given = options();
  const QuantizeReport usual = quantize_model(given);
  ASSERT_TRUE(usual.equalized && usual.equalized->kept);
  given.equalize.equalize = "auto";
  const QuantizeReport chosen = quantize_model(given);
  ASSERT_TRUE(chosen.equalized && chosen.equalized->kept);
  // The rule weighs samples (score_db), the closing error adds their noise; here they are alike to a tenth.
  EXPECT_GE(*chosen.error->sqnr_db, *usual.error->sqnr_db - 0.1);
}

}  // namespace
}  // namespace detent
