#include "tune/equalize/equalize_model.h"
#include "calibrate/choose_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "calibrate/range_overrides.h"
#include "calibrate/sample_tables.h"
#include "detent/base/error.h"
#include "evaluate/float_network.h"
#include "place/plan/placement_request.h"
#include "rewrite/format_options.h"
#include "run/memory_source.h"
#include "run/model_inputs.h"
#include "run/sample_counts.h"
#include "tune/acceptance.h"
#include "tune/equalize/judge_without_memory.h"

namespace detent {
namespace {

EqualizedModel equalize(Model& model, const std::string& request, const FoldJudge& judge, size_t threads = 1,
                        size_t samples = 8) {
  const MemorySource source(test::residual_samples(samples));
  RunSettings settings;
  settings.threads = threads;
  const std::vector<Tensor> inputs = read_first_inputs(source, settings);
  return equalize_model(model, parse_equalize(request), {inputs, source, source, settings, no_samples()}, {}, judge);
}

/// A judge of invented scores: 20 dB for models without equalization, `gain` more for others.
FoldJudge judge_of(double gain) {
  return test::without_memory([gain](std::span<const Model> models, const DataSource&, const DataSource&) {
    const Model plain = test::residual_network(64);
    const auto differs = [&](const Model& model, const char* name) {
      const Tensor *was = plain.graph().constant(*plain.graph().find_value(name)),
                   *is = model.graph().constant(*model.graph().find_value(name));
      return !is || !std::ranges::equal(is->data<float>(), was->data<float>());
    };
    FoldScores scores;
    for (const Model& model : models) {
      bool same = true;
      for (const char* name : {"w0", "w1", "w2", "w3", "w4", "g"}) same = same && !differs(model, name);
      scores.push_back({std::vector<double>(kFewestToJudge, same ? 20 : 20 + gain)});
    }
    return scores;
  });
}

TEST(EqualizeRequest, ReadsFamiliesInTheirOrderWithExponents) {
  const EqualizeRequest request = parse_equalize("relu:0.75,gate");
  EXPECT_EQ(to_text(request.items), "gate,relu:0.75");
  EXPECT_EQ(parse_equalize("off").mode, EqualizeRequest::Mode::Off);
  EXPECT_EQ(parse_equalize("auto").mode, EqualizeRequest::Mode::Auto);
  EXPECT_EQ(parse_equalize("").mode, EqualizeRequest::Mode::Unset);
}

TEST(EqualizeRequest, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"gates", "gate,gate", "relu:2", "relu:", "relu:x", "auto,gate", "gate,,relu"})
    EXPECT_EQ(code_of([&] { static_cast<void>(parse_equalize(text)); }), ErrorCode::Usage) << text;
}

TEST(EqualizeModel, EvensOutWhatAConstantMadeUneven) {
  Model model = test::residual_network(64);
  const EqualizedModel outcome = equalize(model, "norm:1", test::no_judge());
  ASSERT_EQ(outcome.report.values.size(), 1U);
  EXPECT_EQ(outcome.report.values[0].name, "d");
  EXPECT_GT(outcome.report.values[0].imbalance_before, 30);
  EXPECT_LT(outcome.report.values[0].imbalance_after, 1.01);
  EXPECT_TRUE(outcome.equalization.values.contains("d"));
}

TEST(EqualizeModel, LeavesAModelAloneThatHasNoSuchFamily) {
  Model model = test::residual_network(1);
  EXPECT_TRUE(equalize(model, "gate", test::no_judge()).equalization.empty());
}

TEST(EqualizeModel, AutoKeepsWhatGainsAndDropsWhatLoses) {
  Model gained = test::residual_network(64), lost = test::residual_network(64);
  EXPECT_FALSE(equalize(gained, "auto", judge_of(1)).equalization.empty());
  const EqualizedModel outcome = equalize(lost, "auto", judge_of(-1));
  EXPECT_TRUE(outcome.equalization.empty());
  for (const auto& family : outcome.report.families) EXPECT_FALSE(family.kept) << family.name;
}

/// Two channels, the second a 16th of the first, so that relu:1 divides the weight that reads the first by 1/4. `read`:
/// that weight.
Model two_channels(const std::string& made, const std::string& read) {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\ng (float[N,1,2,2] x) => (float[N,1,2,2] y)\n<float[2,1,1,1] w1 = {" +
      made + "}, float[1,2,1,1] w2 = {" + read + "}>\n{ c = Conv (x, w1)  r = Relu (c)  y = Conv (r, w2) }");
}

EqualizedModel equalize_two_channels(Model& model, const std::string& request, const FoldJudge& judge) {
  std::vector<Tensor> samples;
  for (int i = 1; i <= 8; ++i)
    samples.push_back(Tensor::from<float>({1, 1, 2, 2}, {1, -2, 0.125F * static_cast<float>(i), 2}));
  const MemorySource source(std::move(samples));
  const RunSettings settings;
  const std::vector<Tensor> inputs = read_first_inputs(source, settings);
  return equalize_model(model, parse_equalize(request), {inputs, source, source, settings, no_samples()}, {}, judge);
}

TEST(EqualizeModel, LeavesOutAFamilyThatWouldChangeOutputs) {
  // 4 * 1e38 is more than a float holds. 1e-36 * 1e38 is not.
  for (const char* request : {"relu:1", "auto"}) {
    Model model = two_channels("1e-36, 6.25e-38", "1e38, 1e37");
    const FoldJudge indifferent =
        test::without_memory([](std::span<const Model> models, const DataSource&, const DataSource&) -> FoldScores {
          return FoldScores(models.size(), {{20}});
        });
    const EqualizedModel outcome = equalize_two_channels(model, request, indifferent);
    EXPECT_TRUE(outcome.equalization.empty()) << request;
    EXPECT_EQ(model.graph().constant(*model.graph().find_value("w2"))->data<float>()[0], 1e38F) << request;
    if (request == std::string("auto")) continue;  // other exponents are tried there
    const auto relu = std::ranges::find(outcome.report.families, "relu", &EqualizeReport::Family::name);
    ASSERT_NE(relu, outcome.report.families.end());
    EXPECT_FALSE(relu->kept);
    EXPECT_THAT(relu->reason, ::testing::HasSubstr("it changed output 'y'"));
  }
}

TEST(EqualizeModel, KeepsTheSameFamilyWhereNothingOverflows) {
  Model model = two_channels("1, 0.0625", "1, 0.1");
  const EqualizedModel outcome = equalize_two_channels(model, "relu:1", test::no_judge());
  EXPECT_FALSE(outcome.equalization.empty());
  const auto relu = std::ranges::find(outcome.report.families, "relu", &EqualizeReport::Family::name);
  ASSERT_NE(relu, outcome.report.families.end());
  EXPECT_TRUE(relu->kept) << relu->reason;
}

TEST(EqualizeModel, AutoKeepsNothingThatSevenSamplesSay) {
  Model model = test::residual_network(64);
  const EqualizedModel outcome = equalize(model, "auto", test::no_judge(), 1, 7);
  EXPECT_TRUE(outcome.equalization.empty());
  EXPECT_THAT(outcome.report.notes, ::testing::ElementsAre(::testing::HasSubstr("needs 8 samples")));
  Model named = test::residual_network(64);
  const EqualizedModel list = equalize(named, "relu", test::no_judge(), 1, 7);
  EXPECT_FALSE(list.equalization.empty());
  EXPECT_TRUE(list.report.notes.empty()) << "who names a family needs no judge";
}

TEST(EqualizeModel, AutoGainsWhereItIsMeasuredReally) {
  Model model = test::residual_network(64);
  const RangeOverrides none;
  const PlacementRequest placement;
  const RunSettings settings;
  const Target& target = find_target("tensorrt");
  const Model reference = model.clone();
  const FoldJudge judge =
      make_fold_judge(reference, {target, placement, rewrite_options({}, placement, target), none, {"max"}, settings});
  const EqualizedModel outcome = equalize(model, "auto", judge);
  EXPECT_GT(*outcome.report.after_db, *outcome.report.before_db + 3)
      << "one channel of 16 is 64 times the others: they had two of 127 steps";
}

TEST(EqualizeModel, DoesNotDependOnThreads) {
  Model one = test::residual_network(8), four = test::residual_network(8);
  EXPECT_EQ(equalize(one, "relu,norm", test::no_judge(), 1).equalization,
            equalize(four, "relu,norm", test::no_judge(), 4).equalization);
}

using EqualizedTables = SampleTables;

TEST_F(EqualizedTables, GiveTheModelThatTheDataGives) {
  CalibrateOptions measured = calibration("equal.dct");
  measured.equalize.equalize = "relu,linear";
  static_cast<void>(calibrate_model(measured));
  for (const std::string target : {"tensorrt", "onnxruntime"}) {
    QuantizeOptions from_data = quantization(target, target + ".data.onnx");
    from_data.data = sample_data();
    from_data.equalize.equalize = "relu,linear";
    from_data.calibrator = "max";
    QuantizeOptions from_table = quantization(target, target + ".table.onnx");
    from_table.table = measured.output;
    from_table.calibrator = "max";
    EXPECT_EQ(model_bytes(from_table), model_bytes(from_data)) << target;
  }
}

TEST_F(EqualizedTables, AreTheSameForShardsMergedAndForAnyThreads) {
  CalibrateOptions options = calibration("whole.dct");
  options.equalize.equalize = "relu";
  options.run.threads = 1;
  EXPECT_EQ(table_bytes(options), merged_bytes(options));
}

TEST_F(EqualizedTables, AreNotTakenForOthers) {
  CalibrateOptions equal = calibration("equal.dct"), plain = calibration("plain.dct");
  equal.equalize.equalize = "relu";
  static_cast<void>(calibrate_model(equal));
  static_cast<void>(calibrate_model(plain));
  QuantizeOptions options = quantization("tensorrt", "out.onnx");
  const auto code = [&](const std::filesystem::path& table, const std::string& request) {
    options.table = table;
    options.equalize.equalize = request;
    return code_of([&] { static_cast<void>(quantize_model(options)); });
  };
  EXPECT_EQ(code(equal.output, "off"), ErrorCode::TableMismatch);
  EXPECT_EQ(code(equal.output, "relu:0.75"), ErrorCode::TableMismatch);
  EXPECT_EQ(code(plain.output, "relu"), ErrorCode::TableMismatch);
  equal.data.shard_count = plain.data.shard_count = plain.data.shard_index = 2;
  equal.overwrite = plain.overwrite = true;
  static_cast<void>(calibrate_model(equal));
  static_cast<void>(calibrate_model(plain));
  EXPECT_EQ(code_of([&] {
              static_cast<void>(merge_tables({.tables = {equal.output, plain.output}, .output = folder_ / "m.dct"}));
            }),
            ErrorCode::TableMismatch);
  EXPECT_EQ(code_of([&] { static_cast<void>(export_cache({.table = equal.output, .output = folder_ / "c.cache"})); }),
            ErrorCode::TableMismatch);
}

}  // namespace
}  // namespace detent
