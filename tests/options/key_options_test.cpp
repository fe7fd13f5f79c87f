// Tests the options of the command line that take KEY=VALUE.
#include "options/key_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "detent/base/error.h"
#include "options/commands.h"
#include "options/groups.h"

namespace detent {
namespace {

using Texts = std::vector<std::string>;

/// Options of placement and format, and a way to set them by keys.
struct Keys {
  PlacementOptions placement;
  FormatOptions format;
  OptionList list = with_key_options(list_of(placement_options(placement), format_options(format, CpuOption::Offered)));

  [[nodiscard]] const Option& option(const std::string& name) const {
    return *std::ranges::find(list.options, name, &Option::long_name);
  }
  void take(const std::string& name, const std::string& text) const { std::get<Parsed>(option(name).into).take(text); }
  /// Returns "message; hint", or "none".
  [[nodiscard]] std::string refusal(const std::string& name, const std::string& text) const {
    try {
      take(name, text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Usage);
      return std::string(error.what()) + "; " + error.hint();
    }
    return "none";
  }
};

TEST(AKey, SetsTheMemberOfItsOption) {
  Keys keys;
  keys.take("--policy", "concat=inputs,quantize-outputs=on,exclude-op=Gemm,exclude-op=MatMul");
  EXPECT_EQ(keys.placement.concat, PlacementOptions::Concat::Inputs);
  EXPECT_TRUE(keys.placement.quantize_outputs);
  EXPECT_EQ(keys.placement.exclude_op, (Texts{"Gemm", "MatMul"}));
  keys.take("--format", "weights=fp32,per-tensor=on,scales=fp32");
  EXPECT_EQ(keys.format.int8_weights, false);
  EXPECT_TRUE(keys.format.per_tensor);
  EXPECT_EQ(keys.placement.scales, PlacementOptions::Scales::Fp32);
  keys.take("--format", "per-tensor=off");
  EXPECT_FALSE(keys.format.per_tensor);
}

TEST(AKey, IsRefusedByItsNameAndValue) {
  const Keys keys;
  EXPECT_EQ(keys.refusal("--policy", "concot=inputs"), "--policy: there is no key 'concot'; did you mean 'concat'?");
  EXPECT_TRUE(keys.refusal("--policy", "concat=input").starts_with("--policy concat: 'input' is not one of indep"));
  EXPECT_EQ(keys.refusal("--policy", "concat"),
            "--policy: 'concat' has no value; write concat=independent|inputs|shared");
  EXPECT_EQ(keys.refusal("--policy", "include-op="), "--policy: 'include-op' has no value; write include-op=OP");
  EXPECT_EQ(keys.refusal("--policy", "maxpool=both,maxpool=after"),
            "--policy: 'maxpool' is given twice; remove one of the two");
  EXPECT_EQ(keys.refusal("--format", "per-tensor=true"), "--format per-tensor: 'true' is not one of off, on; ");
  EXPECT_TRUE(keys.refusal("--format", "concat=inputs").starts_with("--format: there is no key 'concat'"));
  EXPECT_TRUE(keys.refusal("--policy", "").starts_with("--policy: there is no key ''"));
  EXPECT_TRUE(keys.refusal("--policy", "concat=inputs,").starts_with("--policy: there is no key ''"));
}

TEST(AKey, OfTheSamplesSetsEachKindOfMember) {
  DataOptions data;
  const OptionList list = with_key_options(data_options(data, false));
  const auto take = [&](const std::string& text) {
    std::get<Parsed>(std::ranges::find(list.options, "--feed", &Option::long_name)->into).take(text);
  };
  take("batch-axis=x=1,batch-axis=y=none,mask=m,steps=4,state=s.json,shard=2/3,missing=nan");
  EXPECT_EQ(data.batch_axes, (Texts{"x=1", "y=none"}));
  EXPECT_EQ(data.padding_masks, Texts{"m"});
  EXPECT_EQ(data.steps, 4U);
  EXPECT_EQ(data.state, "s.json");
  EXPECT_EQ(data.shard_index, 2U);
  EXPECT_EQ(data.shard_count, 3U);
  EXPECT_TRUE(data.missing_nan);
  EXPECT_THROW(take("missing=0"), Error);
  EXPECT_THROW(take("steps=0"), Error);
  EXPECT_TRUE(key_values(list, "--feed").empty()) << "they have their names in configurations";
}

TEST(TheValuesOfAKey, AreFoundInTheText) {
  EXPECT_EQ(values_of_key("mask=a,steps=4,mask=b", "mask"), (Texts{"a", "b"}));
  EXPECT_EQ(values_of_key("batch-axis=x=1", "batch-axis"), Texts{"x=1"});
  EXPECT_TRUE(values_of_key("mask=steps", "steps").empty());
}

TEST(TheValuesOfKeys, CanBeTakenAgain) {
  Keys keys, again;
  keys.take("--policy", "residual=float,include-op=Conv,include-op=Gemm,quantize-outputs=on");
  keys.take("--format", "bias=int32,range=full");
  for (const char* name : {"--policy", "--format"}) {
    const Texts values = key_values(keys.list, name);
    again.take(name, join(values, ","));
    EXPECT_EQ(key_values(again.list, name), values);
  }
  const Texts format = key_values(again.list, "--format");
  EXPECT_EQ(std::ranges::count(format, "range=full"), 1);
  EXPECT_EQ(std::ranges::count(format, "per-tensor=off"), 1);
  EXPECT_TRUE(std::ranges::none_of(format, [](const auto& text) { return text.starts_with("weights="); }))
      << "the target's default has no word";
}

TEST(EveryCommand, HasTheKeysOfItsOptionsAndShowsThem) {
  std::set<std::string> shown;
  for_each_command([&](const Command& command, auto type, auto) {
    typename decltype(type)::type options;
    ReportOptions report;
    const OptionList plain = options_of(options, report), list = with_key_options(plain);
    for (const Option& key : plain.options) {
      if (key.traits.key_of.empty()) continue;
      const auto option = std::ranges::find(list.options, key.traits.key_of, &Option::long_name);
      ASSERT_NE(option, list.options.end()) << command.name << " " << key.name;
      const std::string name = key.long_name().substr(2), line = option->help.substr(0, option->help.find('\n'));
      EXPECT_NE(line.find(" " + name + "="), std::string::npos) << key.name;
      EXPECT_EQ(line.find(". "), std::string::npos) << "the help shows the first sentence: " << line;
      EXPECT_NE(option->help.find("\n  " + name + ": " + key.help), std::string::npos) << key.name;
      try {
        std::get<Parsed>(option->into).take(name + "=1/1");
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Usage) << error.what();  // a kind of member without an answer is Internal
      }
      EXPECT_TRUE(option->traits.command_line_only) << "Python has a keyword for each key";
      shown.insert(key.spelling());
    }
    const auto names = [](const OptionList& one) {
      std::set<std::string> all;
      for (const Option& option : one.options) EXPECT_TRUE(all.insert(option.long_name()).second) << option.name;
      return all.size();
    };
    EXPECT_GE(names(list), names(plain));
  });
  EXPECT_EQ(shown.size(), 30U) << join(shown);
}

}  // namespace
}  // namespace detent
