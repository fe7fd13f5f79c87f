#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "place/engines/target.h"
#include "place/plan/rule.h"

namespace detent {
namespace {

TEST(TargetList, BareNameMeansTheDefaultVersion) {
  EXPECT_EQ(find_target("tensorrt").spec(), "tensorrt:10.13");
  EXPECT_EQ(&find_target("tensorrt"), &find_target("tensorrt:10.13"));
  EXPECT_EQ(find_target("onnxruntime").engine.id, Engine::OnnxRuntime);
}

TEST(TargetList, AMajorVersionMeansItsNewest) {
  EXPECT_EQ(find_target("tensorrt:10").spec(), "tensorrt:10.13");
  EXPECT_EQ(find_target("tensorrt:8").spec(), "tensorrt:8.6");
  EXPECT_THROW(static_cast<void>(find_target("tensorrt:12")), Error);
  EXPECT_THROW(static_cast<void>(find_target("tensorrt:1")), Error) << "no part of a number";
}

TEST(TargetList, AVariantStandsInThePlaceOfTheVersion) {
  EXPECT_EQ(find_target("openvino").spec(), "openvino:cpu");
  EXPECT_EQ(find_target("openvino:npu").spec(), "openvino:npu");
  EXPECT_THROW(static_cast<void>(find_target("openvino:0")), Error) << "a variant has no version";
  EXPECT_THROW(static_cast<void>(find_target("openvino:0.0")), Error);
}

TEST(TargetList, WebMeansWebAssembly) {
  EXPECT_EQ(find_target("web").spec(), "web:wasm");
  EXPECT_NE(find_target("web:webgpu").engine.id, find_target("web").engine.id);
  EXPECT_FALSE(find_target("web").saturates_without_vnni);
  EXPECT_THROW(static_cast<void>(find_target("web:1.30")), Error);
}

TEST(TargetList, DlaIsAVariantOfTensorRtThatTakesNoPairs) {
  const Target& dla = find_target("tensorrt:dla");
  EXPECT_EQ(dla.spec(), "tensorrt:dla");
  EXPECT_TRUE(!dla.engine.takes_pairs);
  EXPECT_THROW(check_takes_pairs(dla), Error);
  EXPECT_NO_THROW(check_takes_pairs(find_target("tensorrt")));
  EXPECT_EQ(find_target("tensorrt:10.7").spec(), "tensorrt:10.0") << "DLA's version is not one of the GPU";
}

TEST(TargetList, DevicesOfOpenVinoDifferWhereTheirFactsDiffer) {
  const Target &cpu = find_target("openvino:cpu"), &gpu = find_target("openvino:gpu"),
               &npu = find_target("openvino:npu");
  for (const Target* one : {&cpu, &gpu, &npu}) EXPECT_TRUE(one->engine.narrow_weights) << one->spec();
  EXPECT_TRUE(cpu.saturates_without_vnni);
  EXPECT_FALSE(gpu.saturates_without_vnni);
  EXPECT_FALSE(gpu.concat_shares_scale);
  EXPECT_TRUE(npu.operands_share_scale);
  EXPECT_FALSE(cpu.operands_share_scale);
  EXPECT_FALSE(cpu.find_activation(DataType::UInt16)->without_kernels.empty());
  EXPECT_EQ(gpu.find_activation(DataType::UInt16), nullptr);
  EXPECT_TRUE(npu.find_activation(DataType::UInt16)->without_kernels.empty());
}

// Without pairs trtexec takes --int8 as a wish for calibration. Strongly typed versions know no such flag.
TEST(TargetList, TheNextCommandNamesTheCodesOfAFileWithPairs) {
  const auto command = [](const char* spec, const NextCommand& next) {
    const Target& target = find_target(spec);
    return (*target.engine.next_command)(target, next);
  };
  EXPECT_EQ(command("tensorrt:10.8", {"a.onnx"}), "trtexec --onnx=a.onnx --int8 --fp16 --saveEngine=a.engine");
  EXPECT_EQ(command("tensorrt:10.8", {"a.onnx", CodeType::Fp8}),
            "trtexec --onnx=a.onnx --fp8 --fp16 --saveEngine=a.engine");
  EXPECT_EQ(command("tensorrt:10.8", {.file = "a.onnx", .pairs = false}),
            "trtexec --onnx=a.onnx --fp16 --saveEngine=a.engine");
  for (const bool pairs : {true, false})
    EXPECT_EQ(command("tensorrt:11", {.file = "a.onnx", .pairs = pairs}),
              "trtexec --onnx=a.onnx --saveEngine=a.engine");
}

TEST(TargetList, VersionsDifferWhereFactsDiffer) {
  EXPECT_TRUE(find_target("tensorrt:10.8").int8_weight_initializer);
  EXPECT_FALSE(find_target("tensorrt:8.6").int8_weight_initializer);
}

TEST(TargetList, TenEightAndTenThirteenWriteTheSame) {
  const Target &newest = find_target("tensorrt:10.13"), &middle = find_target("tensorrt:10.8");
  EXPECT_EQ(newest.activation->type, middle.activation->type);
  EXPECT_EQ(newest.int8_weight_initializer, middle.int8_weight_initializer);
  EXPECT_EQ(newest.int32_bias(), middle.int32_bias());
  EXPECT_EQ(*newest.engine.minimum_opset, *middle.engine.minimum_opset);
  EXPECT_EQ(newest.engine.half_scales_below_opset19, middle.engine.half_scales_below_opset19);
}

TEST(TargetList, ActivationTypesAreThoseOfTheEngine) {
  EXPECT_EQ(find_target("tensorrt").activation->type, DataType::Int8);
  EXPECT_EQ(find_target("tensorrt").activation_names(), "int8");
  EXPECT_EQ(find_target("onnxruntime").activation->type, DataType::UInt8);
  EXPECT_EQ(find_target("onnxruntime").activation_names(), "uint8, int8, uint16, int16");
}

TEST(TargetList, AnActivationTypeWithoutKernelsSaysWhatHappens) {
  const Target& target = find_target("onnxruntime");
  EXPECT_TRUE(target.find_activation(DataType::UInt8)->without_kernels.empty());
  EXPECT_NE(target.find_activation(DataType::Int16)->without_kernels.find("in float"), std::string_view::npos);
  EXPECT_EQ(target.find_activation(DataType::Int4), nullptr);
  EXPECT_EQ(find_target("tensorrt").find_activation(DataType::UInt16), nullptr);
  for (const Target& one : target_list()) {
    EXPECT_NE(one.find_activation(one.activation->type), nullptr) << one.spec() << " takes its default type";
    EXPECT_FALSE(one.other_types->empty()) << one.spec();
  }
}

TEST(TargetList, QnnTakesFourTypesAndQuantizesTheWholeGraph) {
  const Target& target = find_target("qnn");
  EXPECT_EQ(target.engine.id, Engine::Qnn);
  EXPECT_EQ(target.activation_names(), "uint8, uint16, int8, int16");
  EXPECT_TRUE(target.find_activation(DataType::UInt16)->without_kernels.empty());
  EXPECT_TRUE(target.engine.whole_graph);
  EXPECT_FALSE(find_target("tensorrt").engine.whole_graph);
  EXPECT_FALSE(find_target("onnxruntime").engine.whole_graph);
}

TEST(TargetList, ChipsOfRockchipTake8BitsAndOpset19) {
  EXPECT_EQ(find_target("rknn").spec(), "rknn:rk3588");
  for (const char* chip : {"rk3588", "rk3576", "rk3566", "rk3568", "rv1106"}) {
    const Target& target = find_target(std::string("rknn:") + chip);
    EXPECT_EQ(target.activation_names(), "uint8, int8") << chip;
    EXPECT_EQ(target.newest_opset(), 19) << chip;
    EXPECT_EQ(target.find_activation(DataType::UInt16), nullptr) << chip;
  }
  EXPECT_THROW(static_cast<void>(find_target("rknn:rk3399")), Error) << "it has no such NPU";
}

TEST(TargetList, UnknownTargetNamesTheKnownOnes) {
  const std::pair<const char*, const char*> cases[] = {{"tflite", "tensorrt:8.6"},
                                                       {"", "tensorrt:8.6"},
                                                       {"TensorRT", "did you mean 'tensorrt'"},
                                                       {"tensorrt:12.1", "tensorrt:"}};
  for (const auto& [spec, hint] : cases) {
    try {
      (void)find_target(spec);
      ADD_FAILURE() << spec << " was found";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Usage);
      EXPECT_NE(error.hint().find(hint), std::string::npos) << error.hint();
    }
  }
}

TEST(TargetList, EveryRuleHasANameAndARound) {
  for (const Target& target : target_list()) {
    for (const Rule* rule : *target.engine.rules) {
      EXPECT_FALSE(rule->name.words.empty());
      EXPECT_TRUE(rule->mark || rule->decide || rule->visit || rule->share || rule->review) << rule->name.words;
    }
  }
}

}  // namespace
}  // namespace detent
