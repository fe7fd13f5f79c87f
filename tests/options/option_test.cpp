// Tests that the command line, Python and provenance read the same list of options.
#include "options/option.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "detent/base/error.h"
#include "options/commands.h"
#include "options/groups.h"

namespace detent {
namespace {

const Option& named(const OptionList& list, const std::string& name) {
  return *std::ranges::find(list.options, name, &Option::long_name);
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Usage);
    return error.what();
  }
  return "none";
}

TEST(AnOption, IsMadeOfItsNameAsHelpHasIt) {
  std::string text;
  const Option option = row("-o,--output OUT.onnx", &text, "Where the model goes");
  EXPECT_EQ(option.name, "-o,--output");
  EXPECT_EQ(option.long_name(), "--output");
  EXPECT_EQ(option.type, "OUT.onnx");
  EXPECT_FALSE(option.positional());
  EXPECT_TRUE(row("MODEL", &text, "A model").positional());
}

TEST(AChoice, TakesItsWordsAndRefusesOthersByName) {
  PlacementOptions placement;
  const OptionList list = policy_options(placement);
  const Option& concat = named(list, "--concat");
  take_word(concat, "inputs");
  EXPECT_EQ(placement.concat, PlacementOptions::Concat::Inputs);
  EXPECT_EQ(values_of(concat), std::vector<std::string>{"inputs"});
  EXPECT_EQ(refusal([&] { take_word(concat, "input"); }),
            "--concat: 'input' is not one of independent, inputs, shared");
  EXPECT_EQ(placement.concat, PlacementOptions::Concat::Inputs) << "a refused word changes nothing";
}

TEST(AChoice, HasNoWordForAnAbsentValue) {
  FormatOptions format;
  const OptionList list = format_options(format, CpuOption::Offered);
  EXPECT_TRUE(values_of(named(list, "--weights")).empty());
  take_word(named(list, "--weights"), "fp32");
  EXPECT_EQ(format.int8_weights, false);
}

TEST(ANumber, LiesWithinItsBounds) {
  AccuracyBound bound;
  const DataOptions data;
  const OptionList list = bound_options(bound, data);
  const Option& drop = named(list, "--max-drop");
  for (const char* good : {"0", "0.01", "1e9"}) EXPECT_EQ(refusal([&] { check_number(drop, good, false); }), "none");
  for (const char* bad : {"-1", "nan", "inf", "1e10", "", "1x"})
    EXPECT_EQ(refusal([&] { check_number(drop, bad, false); }),
              "--max-drop: '" + std::string(bad) + "' is not a number from 0 to 1e+09");
  const Option& limit = named(list, "--eval-limit");
  EXPECT_EQ(refusal([&] { check_number(limit, "1.5", true); }), "--eval-limit: '1.5' is not a whole number from 1 on");
}

TEST(ChangedOptions, AreThoseThatDifferInTheOrderOfTheList) {
  PlacementOptions placement, usual;
  placement.quantize_outputs = true;
  placement.exclude = {"^a", "^b"};
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const Pairs expected{{"exclude", "^a"}, {"exclude", "^b"}, {"quantize-outputs", "on"}};
  EXPECT_EQ(changed(placement_options(placement), placement_options(usual)), expected);
  EXPECT_EQ(changed(placement_options(usual), placement_options(usual)), Pairs{});
}

TEST(ChangedOptions, AreTypedAsKeysAndFlags) {
  PlacementOptions placement, usual;
  placement.quantize_outputs = true;
  placement.exclude = {"^a", "^b"};
  EXPECT_EQ(typed_changes(placement_options(placement), placement_options(usual)),
            " --exclude '^a' --exclude '^b' --policy quantize-outputs=on");
  EXPECT_EQ(typed_changes(placement_options(usual), placement_options(usual)), "");
  AccuracyBound bound, none;
  const DataOptions data;
  bound.evaluation.next_token = true;
  bound.min_sqnr_db = 20;
  EXPECT_EQ(typed_changes(bound_options(bound, data), bound_options(none, data)), " --min-sqnr 20 --next-token")
      << "a flag";
}

TEST(TheSamplesToJudgeOn, ArePreprocessedAsThoseToCalibrateWith) {
  QuantizeOptions options;
  ReportOptions report;
  const OptionList list = options_of(options, report);
  options.data.preprocess = "imagenet";
  for (const auto& settle : list.settle) settle();
  EXPECT_EQ(options.bound.evaluation.data.preprocess, "imagenet");
  EXPECT_TRUE(options.bound.evaluation.data.spread);
}

TEST(WeightsAlone, TakeNoOptionOfActivations) {
  SensitivityOptions options;
  ReportOptions report;
  const OptionList list = options_of(options, report);
  const auto settle = [&] {
    for (const auto& one : list.settle) one();
  };
  take_word(named(list, "--block"), "64");
  EXPECT_EQ(refusal(settle), "--block is for --weight-only");
  take_word(named(list, "--weight-only"), "int8");
  EXPECT_EQ(refusal(settle), "none");
  EXPECT_EQ(options.weights->block, 64);
  options.format.per_tensor = true;
  EXPECT_EQ(refusal(settle), "--format per-tensor does not apply to --weight-only");
}

TEST(EveryCommand, HasOptionsWithHelpAndNamesOfTheirOwn) {
  size_t commands = 0, all = 0;
  for_each_command([&](const Command& command, auto type, auto) {
    typename decltype(type)::type options;
    ReportOptions report;
    const OptionList list = options_of(options, report);
    std::set<std::string> names;
    for (const Option& option : list.options) {
      EXPECT_TRUE(names.insert(option.long_name()).second) << command.name << " has " << option.name << " twice";
      EXPECT_FALSE(option.help.empty()) << command.name << " " << option.name;
      const auto* choice = std::get_if<Choice>(&option.into);
      if (choice && option.type.empty()) {
        EXPECT_TRUE(std::ranges::is_sorted(choice->words)) << option.name << ": " << join(choice->words);
      }
    }
    EXPECT_TRUE(names.contains("--json") && names.contains("--overwrite")) << command.name;
    EXPECT_TRUE(command.example.starts_with("detent " + command.name)) << command.name;
    ++commands;
    all += list.options.size();
  });
  EXPECT_EQ(commands, 17U);
  EXPECT_GT(all, 400U);
}

}  // namespace
}  // namespace detent
