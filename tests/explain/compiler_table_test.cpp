#include <gmock/gmock.h>

#include "explain/engine_json.h"
#include "explain/explain_layers.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string line(const std::string& text) { return "D RKNN: [12:57:04.550] " + text + "\n"; }

/// A Conv, a Softmax without pairs, and a Reshape on the CPU, as a verbose build prints them.
std::string build_log() {
  return "I rknn building ...\r\n" + line("      Network Layer Information Table") +
         line("ID   OpType  DataType Target InputShape OutputShape Cycles(DDR/NPU/Total) RW(KB) FullName") +
         line("0 InputOperator INT8 CPU \\ (1,3,8,8) 0/0/0 0 InputOperator:image") +
         line("1 ConvRelu INT8 NPU (1,3,8,8),(16,3,3,3),(16) (1,16,8,8) 13/147/2000000 50 Conv:/a/b c#2_ConvAdd") +
         line("2 exDataConvert INT8 NPU (1,16,8,8) (1,16,8,8) 0/0/0 2 exDataConvert:r_DequantizeLinear") +
         line("3 exSoftmax13 FLOAT16 NPU (1,16,8,8) (1,16,8,8) 0/0/0 2 exSoftmax13:/Softmax ") +
         line("4 Reshape FLOAT16 CPU (1,16,8,8),(2) (1,1024) 0/0/0 2 Reshape:out-rs") +
         line("5 OutputOperator FLOAT16 CPU (1,1024) \\ 0/0/0 2 OutputOperator:out") + line("-----") +
         line("  Feature Tensor Information Table") + line("ID User Tensor DataType DataFormat | [Start End) Size") +
         line("1 ConvRelu image INT8 NC1HWC2 (1,3,8,8) (1,1,8,8,3) | 0x0 0x1 0x1") +
         line("2 exDataConvert r INT8 NC1HWC2 (1,16,8,8) (1,1,8,8,16) | 0x0 0x1 0x1") +
         line("3 exSoftmax13 r_dequantized FLOAT16 NC1HWC2 (1,16,8,8) (1,2,8,8,8) | 0x0 0x1 0x1") +
         line("4 Reshape soft out FLOAT16 UNDEFINED (1,16,8,8) (1,16,8,8) | 0x0 0x1 0x1") +
         line("  Const Tensor Information Table") + line("1 ConvRelu w_dequantized INT8 (16,3,3,3) | 0x0 0x1 0x1");
}

TEST(CompilerTable, HasLayersUnitsTypesAndCycles) {
  const BuiltEngine engine = read_compiler_table(build_log());
  EXPECT_EQ(engine.form, "rknn");
  EXPECT_THAT(engine.bindings, ElementsAre("image", "out"));
  ASSERT_EQ(engine.layers.size(), 4U);
  const EngineLayer& conv = engine.layers[0];
  EXPECT_EQ(conv.name + "|" + conv.type + "|" + conv.unit + "|" + conv.weights, "/a/b c|ConvRelu|NPU|INT8");
  EXPECT_EQ(conv.ms, 2.0);
  EXPECT_EQ(conv.inputs.at(0).name + " " + conv.inputs.at(0).format, "image INT8");
  EXPECT_EQ(engine.layers[1].outputs.at(0).format, "FP16");
  EXPECT_EQ(engine.layers[3].inputs.at(0).name, "soft out");
  EXPECT_FALSE(engine.layers[3].ms) << "the compiler estimates nothing for the CPU";
}

TEST(CompilerTable, OfSeveralBuildsTheLastOneCounts) {
  EXPECT_EQ(read_compiler_table(build_log() + build_log()).layers.size(), 4U);
  EXPECT_THAT(read_compiler_table(build_log() + line("Network Layer Information Table")).layers, IsEmpty());
}

TEST(CompilerTable, LinesThatEndInTheMiddleAreLeftOut) {
  const std::string whole = build_log();
  for (size_t size = 0; size < whole.size(); size += 3)
    EXPECT_LE(read_compiler_table(whole.substr(0, size)).layers.size(), 4U) << size;
  for (const char* cut : {"7 Conv", "7 Conv INT8 NPU 1/2/3 4", "7 Conv INT8 NPU (1) (1) 1/2/x 4 Conv:a", "",
                          "7 Conv INT7 NPU (1) (1) 1/2/3 4 Conv:a", "7 Conv INT8 NPU (1) (1) 1/2/9e9 4 Conv:a"})
    EXPECT_THAT(read_compiler_table(line("Network Layer Information Table") + line(cut)).layers, IsEmpty()) << cut;
}

TEST(CompilerTable, SaysWhyALayerIsFloatOrOnTheCpu) {
  const auto [rows, advice] = explain_with_advice(read_compiler_table(build_log()));
  EXPECT_EQ(rows[0].arithmetic + rows[0].cause, "int8");
  EXPECT_EQ(rows[1].kind, "reformat");
  EXPECT_THAT(rows[1].cause, HasSubstr("codes become floats"));
  EXPECT_THAT(rows[2].cause, HasSubstr("a value without a pair is fp16"));
  EXPECT_EQ(rows[3].unit, "CPU");
  EXPECT_THAT(rows[3].cause, HasSubstr("the NPU does not run this Reshape"));
  ASSERT_EQ(advice.size(), 1U) << "other layers cost no cycles";
  EXPECT_EQ(advice[0].finding, "on_cpu");
}

TEST(CompilerTable, NamesTheOptionThatGivesAFloatConvItsPairs) {
  std::string log = build_log();
  log.replace(log.find("ConvRelu INT8"), 13, "ConvRelu FLOAT16");
  const auto [rows, advice] = explain_with_advice(read_compiler_table(log));
  EXPECT_EQ(rows[0].arithmetic, "fp16");
  EXPECT_THAT(rows[0].cure, HasSubstr("--include '/a/b c'"));
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice[0].finding, "no_pair_around");
}

}  // namespace
}  // namespace detent
