#include "explain/type_words.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

TEST(TypeWords, AreFoundInSentencesAndInBareTypes) {
  for (const auto& [format, word] :
       {std::pair("Channel major FP16 format where channel % 8 == 0", "fp16"), std::pair("Half", "fp16"),
        std::pair("Row major linear FP32", "fp32"), std::pair("Float", "fp32"), std::pair("float", "fp32"),
        std::pair("float16", "fp16"), std::pair("BFloat16", "bf16"), std::pair("Thirty-two wide Int8 format", "int8"),
        std::pair("Channel major INT8 format where channel == 4 and column stride % 32 == 0", "int8"),
        std::pair("Row major INT8 format where column stride % 64 == 0", "int8"), std::pair("INT32", "other"),
        std::pair("Row major linear, Half", "fp16"), std::pair("uint8", "int8"), std::pair("UINT8", "int8"),
        std::pair("FP8", "fp8"), std::pair("Row major linear Int32", "other"), std::pair("Bool", "other"),
        std::pair("N/A due to dynamic shapes", "unknown"), std::pair("", "unknown")})
    EXPECT_EQ(type_word(format), word) << format;
}

TEST(TypeWords, ArithmeticOfWeightedLayersIsThatOfTheirWeights) {
  EXPECT_EQ(arithmetic_of({.name = "c", .type = "CaskConvolution", .tactic = "f16f16", .weights = "Int8"}), "int8");
  EXPECT_EQ(arithmetic_of({.name = "c", .type = "CaskConvolution", .weights = "Half"}), "fp16");
}

TEST(TypeWords, ArithmeticOfKernelsIsThatOfTheirName) {
  for (const auto& [tactic, word] :
       {std::pair("sm80_xmma_gemm_i8f16_i8i32_f32_tn", "int8"), std::pair("sm80_f16f16_f16f16_f16", "fp16"),
        std::pair("sm80_f32f32_tf32f32_f32", "fp32"), std::pair("sm89_e4m3bf16", "fp8")})
    EXPECT_EQ(arithmetic_of({.name = "g", .type = "gemm", .tactic = tactic, .inputs = {{"a", "Float"}}}), word);
}

TEST(TypeWords, ArithmeticOfIntegerOperatorsIsInt8WhateverTheyReadFirst) {
  EXPECT_EQ(arithmetic_of({.name = "c", .type = "QLinearConcat", .inputs = {{"scale", "float"}}}), "int8");
  EXPECT_EQ(arithmetic_of({.name = "m", .type = "MatMulInteger"}), "int8");
  EXPECT_EQ(arithmetic_of({.name = "l", .type = "DynamicQuantizeLSTM", .inputs = {{"x", "float"}}}), "int8");
  EXPECT_EQ(arithmetic_of({.name = "l", .type = "LSTM", .inputs = {{"x", "float"}}}), "fp32");
  EXPECT_EQ(arithmetic_of({.name = "c", .type = "Concat", .inputs = {{"a", "float"}}}), "fp32");
}

TEST(TypeWords, ArithmeticOfOtherLayersIsThatOfTheirTensors) {
  EXPECT_EQ(arithmetic_of({.name = "p", .type = "Pooling", .inputs = {{"a", "Int8"}}}), "int8");
  EXPECT_EQ(arithmetic_of({.name = "g", .type = "Gather", .inputs = {{"i", "Int64"}, {"a", "Half"}}}), "fp16");
  EXPECT_EQ(arithmetic_of({.name = "p", .type = "Pooling"}), "unknown");
}

TEST(TypeWords, ArithmeticOfGeneratedKernelsBetweenCodesIsUnknown) {
  EXPECT_EQ(
      arithmetic_of(
          {.name = "__myl_CastMulAdd_myl0_1", .type = "kgen", .inputs = {{"a", "Int8"}}, .outputs = {{"b", "Int8"}}}),
      "unknown");
  EXPECT_EQ(
      arithmetic_of(
          {.name = "__myl_CastMul_myl0_1", .type = "kgen", .inputs = {{"a", "Int8"}}, .outputs = {{"b", "Half"}}}),
      "fp16");
}

TEST(TypeWords, NamesAloneTellOnlyOfQuantizedWeights) {
  EXPECT_EQ(arithmetic_of({.name = "c.weight_quantized + Conv_4"}), "int8");
  EXPECT_EQ(arithmetic_of({.name = "c.weight + Conv_4"}), "unknown");
  EXPECT_EQ(arithmetic_of({.name = "c.weight + QuantizeLinear_3 + Conv_4"}), "int8");
  EXPECT_EQ(arithmetic_of({.name = "Conv_4"}), "unknown");
}

}  // namespace
}  // namespace detent
