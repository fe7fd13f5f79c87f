#include "tune/equalize/absorb_biases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/range_overrides.h"
#include "calibrate/sample_tables.h"
#include "detent/data_source.h"
#include "detent/error.h"
#include "detent/placement_options.h"
#include "detent/run_settings.h"
#include "equalize/equalization.h"
#include "evaluate/float_network.h"
#include "exec/same_outputs.h"
#include "model/model.h"
#include "rewrite/format_options.h"
#include "run/memory_source.h"
#include "run/model_inputs.h"
#include "tune/equalize/apply.h"
#include "tune/equalize/equalized_model.h"
#include "tune/equalize/fold_scores.h"
#include "tune/equalize/judge_without_memory.h"
#include "tune/equalize/request.h"

namespace detent {
namespace {

/// x -> made -> Relu r -> read -> y, all 1 x 1. Channel 0 of r lies around `bias`, the others around 0; its weights are like theirs, so
/// that the scale of r is about bias / 127 where every channel varies by 1.
Model high_network(float bias) {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[N, 16, 8, 8] x) => (float[N, 16, 8, 8] y)
<float[1] w0 = {0}, float[1] b0 = {0}, float[1] w1 = {0}>
{
  c = Conv (x, w0, b0)
  r = Relu (c)
  y = Conv (r, w1)
})");
  test::Numbers numbers(7);
  Tensor biases = numbers.tensor({16}, 0.1F);
  biases.mutable_data<float>()[0] = bias;
  GraphPatch patch;
  patch.reason = "weights of the test";
  patch.replace_constants.emplace_back("w0", numbers.tensor({16, 16, 1, 1}, 0.25F));
  patch.replace_constants.emplace_back("b0", std::move(biases));
  patch.replace_constants.emplace_back("w1", numbers.tensor({16, 16, 1, 1}));
  apply_patch(model, patch);
  return model;
}

constexpr float kHigh = 50;

Absorption absorb(Model& model, const FoldJudge& judge, size_t threads = 1) {
  const MemorySource source(test::residual_samples(8));
  RunSettings settings;
  settings.threads = threads;
  return absorb_biases(model, read_first_inputs(source, settings), source, settings, judge);
}

/// Made up: 20 dB before, `after` with what is absorbed.
FoldJudge judge_after(double after) {
  return test::without_memory([after](std::span<const Model> models, const DataSource&, const DataSource&) {
    EXPECT_EQ(models.size(), 2U);
    return FoldScores{{{20}}, {{after}}};
  });
}

std::string bytes_of(const Model& model) {
  const TemporaryFolder folder;
  write_model(model, folder / "m.onnx");
  return TemporaryFolder::read(folder / "m.onnx");
}

TEST(AbsorbBiases, LeaveTheOutputsOnEverySampleThatWasMeasured) {
  Model model = high_network(kHigh);
  const Model before = model.clone();
  const Absorption absorption = absorb(model, judge_after(20));
  EXPECT_TRUE(absorption.report.kept) << "as good is good enough";
  ASSERT_EQ(absorption.report.values.size(), 1U);
  const AbsorbReport::Value& value = absorption.report.values[0];
  EXPECT_EQ(value.name, "r");
  EXPECT_EQ(value.channels, 16U);
  EXPECT_EQ(value.absorbed, 1U);
  EXPECT_GT(value.amax_before, kHigh);
  EXPECT_LT(value.amax_after, kHigh / 5);
  for (const Tensor& sample : test::residual_samples(8)) {
    const std::vector<Tensor> inputs{sample};
    EXPECT_NO_THROW(check_same_outputs(outputs_of(before, inputs), model, inputs, "absorbing"));
  }
  EXPECT_NE(bytes_of(model), bytes_of(before));
}

TEST(AbsorbBiases, LeaveTheModelAloneWhereItWouldLose) {
  Model model = high_network(kHigh);
  const std::string before = bytes_of(model);
  const Absorption absorption = absorb(model, judge_after(19.99));
  EXPECT_FALSE(absorption.report.kept);
  EXPECT_EQ(absorption.report.values.size(), 1U) << "it says what it could";
  EXPECT_TRUE(absorption.shifts.empty());
  EXPECT_EQ(bytes_of(model), before);
}

TEST(AbsorbBiases, AskNobodyWhereNothingWouldGetSmaller) {
  Model model = high_network(0);
  const Absorption absorption = absorb(
      model, test::without_memory([](std::span<const Model>, const DataSource&, const DataSource&) -> FoldScores {
        throw std::logic_error("nobody asked");
      }));
  EXPECT_EQ(absorption.report.activations, 1U);
  EXPECT_TRUE(absorption.report.values.empty());
  EXPECT_FALSE(absorption.report.kept);
}

TEST(AbsorbBiases, DoNotDependOnThreads) {
  Model one = high_network(kHigh), four = high_network(kHigh);
  EXPECT_EQ(absorb(one, judge_after(21), 1).shifts, absorb(four, judge_after(21), 4).shifts);
  EXPECT_EQ(bytes_of(one), bytes_of(four));
}

TEST(ApplyAbsorption, OfDataBelowWhatWasSeenIsNotChecked) {
  Model model = high_network(kHigh);
  const Shifts shifts = absorb(model, judge_after(21)).shifts;
  Model other = high_network(kHigh);
  const Tensor far = test::Numbers(3).tensor({1, 16, 8, 8}, 1000);
  apply_absorption(other, shifts, std::vector<Tensor>{far});
  EXPECT_EQ(bytes_of(other), bytes_of(model)) << "the same patch, whatever the sample";
}

TEST(ApplyAbsorption, OfAnotherNetworkIsAMismatch) {
  Model model = high_network(kHigh);
  const Shifts shifts{{"elsewhere", {2, std::vector<float>(16, 1)}}};
  EXPECT_EQ(code_of([&] { apply_absorption(model, shifts, {}); }), ErrorCode::TableMismatch);
}

/// equalize_as_requested as `quantize` calls it, judged by real quantization.
std::optional<EqualizedModel> even(Model& model, const EqualizeOptions& options) {
  const MemorySource source(test::residual_samples(8));
  const RangeOverrides none;
  const PlacementOptions placement;
  const RunSettings settings;
  const Target& target = find_target("tensorrt");
  const std::vector<Tensor> inputs = read_first_inputs(source, settings);
  return equalize_as_requested(model, parse_equalize(options), {inputs, source}, {},
                               {target, placement, rewrite_options({}, placement, target), none, {"max"}, settings});
}

TEST(EvenChannels, AbsorbingGainsWhatAChannelFarFromZeroCost) {
  Model model = high_network(kHigh);
  const Model before = model.clone();
  const auto evened = even(model, {.absorb_bias = "on"});
  ASSERT_TRUE(evened && evened->report.absorbed);
  const AbsorbReport& report = *evened->report.absorbed;
  EXPECT_TRUE(report.kept);
  // The scale of r falls from 50 / 127 to a fifth of that or less: 14 dB, of which the weights' own error leaves half.
  EXPECT_GT(*report.sqnr_after_db, *report.sqnr_before_db + 7);
  EXPECT_EQ(bytes_of(reference_of(model, evened)), bytes_of(before)) << "errors are those against what it was";
}

TEST(EvenChannels, EqualizationFindsTheShorterRanges) {
  Model both = high_network(kHigh), plain = high_network(kHigh);
  const auto with = even(both, {.equalize = "relu", .absorb_bias = "on"}), without = even(plain, {.equalize = "relu"});
  const auto imbalance = [](const EqualizedModel& evened) { return evened.report.values.at(0).imbalance_before; };
  EXPECT_LT(imbalance(*with), imbalance(*without) / 5);
  EXPECT_FALSE(with->equalization.shifts.empty());
  EXPECT_FALSE(with->equalization.values.empty());
  Model again = high_network(kHigh);
  apply_equalization(again, with->equalization, {});
  EXPECT_EQ(bytes_of(again), bytes_of(both)) << "what a table would hold makes the same network";
  EXPECT_FALSE(without->original) << "factors are exact";
}

TEST(EvenChannels, ThatNobodyAskedForChangeNothing) {
  Model model = high_network(kHigh);
  EXPECT_FALSE(even(model, {}));
  EXPECT_FALSE(even(model, {.equalize = "off", .absorb_bias = "off"}));
  EXPECT_EQ(code_of([&] { static_cast<void>(even(model, {.absorb_bias = "auto"})); }), ErrorCode::Usage);
}

/// A file of the network, and twelve random samples of it.
class AbsorbedTables : public SampleTables {
 protected:
  AbsorbedTables() { write_model(high_network(kHigh), file_); }

  [[nodiscard]] CalibrateOptions absorbing(const std::string& output, const std::string& absorb = "on") const {
    CalibrateOptions options = calibration(output);
    options.model = file_;
    options.data = data();
    options.equalize = {.equalize = "relu", .absorb_bias = absorb};
    return options;
  }
  [[nodiscard]] QuantizeOptions quantizing(const std::string& output) const {
    QuantizeOptions options = quantization("tensorrt", output);
    options.model = file_;
    return options;
  }
  static DataOptions data() {
    DataOptions data;
    data.sources = {"random:uniform,n=12,seed=5"};
    return data;
  }

  std::filesystem::path file_ = folder_ / "net.onnx";
};

TEST_F(AbsorbedTables, GiveTheModelThatTheDataGives) {
  const CalibrateOptions measured = absorbing("t.dct");
  const TableReport report = calibrate_model(measured);
  EXPECT_TRUE(report.absorb_bias);
  EXPECT_EQ(report.shifted_values, 2U) << "c and r";
  QuantizeOptions from_data = quantizing("data.onnx");
  from_data.data = data();
  from_data.equalize = measured.equalize;
  from_data.calibrator = "max";
  QuantizeOptions from_table = quantizing("table.onnx");
  from_table.table = measured.output;
  from_table.calibrator = "max";
  const std::string bytes = model_bytes(from_data);
  EXPECT_EQ(model_bytes(from_table), bytes);
  from_table.output = folder_ / "other.onnx";
  from_table.data.sources = {"random:normal,n=2,seed=9"};
  EXPECT_EQ(model_bytes(from_table), bytes) << "the data are there to measure the error only";
}

TEST_F(AbsorbedTables, AreTheSameForShardsMergedAndForAnyThreads) {
  CalibrateOptions options = absorbing("whole.dct");
  options.run.threads = 1;
  EXPECT_EQ(table_bytes(options), merged_bytes(options));
}

TEST_F(AbsorbedTables, AreNotTakenForOthers) {
  const CalibrateOptions with = absorbing("with.dct"), without = absorbing("without.dct", "off");
  static_cast<void>(calibrate_model(with));
  static_cast<void>(calibrate_model(without));
  const auto code = [&](const CalibrateOptions& table, const std::string& absorb) {
    QuantizeOptions options = quantizing("out.onnx");
    options.table = table.output;
    options.equalize.absorb_bias = absorb;
    options.overwrite = true;
    return code_of([&] { static_cast<void>(quantize_model(options)); });
  };
  EXPECT_EQ(code(with, "off"), ErrorCode::TableMismatch);
  EXPECT_EQ(code(without, "on"), ErrorCode::TableMismatch);
  QuantizeOptions repeated = quantizing("repeated.onnx");
  repeated.table = with.output;
  repeated.equalize = with.equalize;
  EXPECT_NO_THROW(static_cast<void>(quantize_model(repeated)));
  EXPECT_EQ(code_of([&] { static_cast<void>(export_cache({.table = with.output, .output = folder_ / "c.cache"})); }),
            ErrorCode::TableMismatch);
}

}  // namespace
}  // namespace detent
