#include "explain/layer_kind.h"

#include <gmock/gmock.h>

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string kind_of_kgen(const std::string& operations, const std::string& input = "Half") {
  return kind_of({.name = "__myl_" + operations + "_myl2_7", .type = "kgen", .inputs = {{"a", input}}});
}

TEST(LayerKind, OfReformatsFollowsTheirOrigin) {
  const auto kind = [](const char* origin) { return kind_of({.name = "r", .type = "Reformat", .origin = origin}); };
  EXPECT_EQ(kind("REFORMAT"), "reformat");
  EXPECT_EQ(kind("CAST"), "reformat");
  EXPECT_EQ(kind("QDQ"), "quantize");
  EXPECT_EQ(kind("CONCAT"), "copy");
  EXPECT_EQ(kind("SLICE"), "copy");
}

TEST(LayerKind, OfANoOpIsNoneWhateverItsNameSays) {
  EXPECT_EQ(kind_of({.name = "Reformatting CopyNode for Input Tensor 0 to X", .type = "NoOp"}), "none");
}

TEST(LayerKind, OfGeneratedKernelsFollowsTheirOperations) {
  EXPECT_EQ(kind_of_kgen("MulMinMaxRounCast"), "quantize");
  EXPECT_EQ(kind_of_kgen("CastMul", "Int8"), "quantize");
  EXPECT_EQ(kind_of_kgen("CastMul"), "layer");
  EXPECT_EQ(kind_of_kgen("ReshCastResh"), "reformat");
  EXPECT_EQ(kind_of_kgen("TranReshMove"), "copy");
  EXPECT_EQ(kind_of_kgen("CastMulCastMulAddReluMulMinMaxRounCast", "Int8"), "layer");
}

TEST(LayerKind, OfGeneratedKernelsWithWordsOfThreeLettersIsTheSame) {
  EXPECT_EQ(kind_of_kgen("MulMinMaxRouCas"), "quantize");
  EXPECT_EQ(kind_of_kgen("TraRes"), "copy");
  EXPECT_EQ(kind_of_kgen("ResCas"), "reformat");
  EXPECT_EQ(kind_of_kgen("MeaSubMulMea"), "layer");
  EXPECT_EQ(kind_of({.name = "__myl_Res_myl2_7", .type = "kgen", .metadata = "[ONNX Layer: /up/Resize]"}), "layer");
}

TEST(LayerKind, OfAScaleThatOnlyDequantizesIsQuantize) {
  EXPECT_EQ(kind_of({.name = "conv.weight_DequantizeLinear", .type = "Scale"}), "quantize");
  EXPECT_EQ(kind_of({.name = "/norm/BatchNormalization + /relu/Relu", .type = "Scale"}), "layer");
}

TEST(LayerKind, OfALogWithoutOriginsFollowsTheName) {
  EXPECT_EQ(kind_of({.name = "/in/QuantizeLinear_clone_1", .type = "Reformat"}), "quantize");
  EXPECT_EQ(kind_of({.name = "T copy", .type = "Reformat"}), "copy");
  EXPECT_EQ(kind_of({.name = "T copy (12)", .type = "Reformat"}), "copy");
  EXPECT_EQ(kind_of({.name = "T copy (a)", .type = "Reformat"}), "reformat");
  EXPECT_EQ(kind_of({.name = "Reformatting CopyNode for Input Tensor 0 to QuantizeLinear_3", .type = "Reformat"}),
            "reformat");
}

TEST(LayerKind, OfNamesAlone) {
  EXPECT_EQ(kind_of({.name = "QuantizeLinear_3"}), "quantize");
  EXPECT_EQ(kind_of({.name = "w + QuantizeLinear_3 + Conv_4"}), "layer");
  EXPECT_EQ(kind_of({.name = "Reformatting CopyNode for Output Tensor 0 to Conv_4"}), "reformat");
  EXPECT_EQ(kind_of({.name = "Reformatting CopyNode for Output Tensor 0 to Conv_4", .ms = 0.0}), "none");
  EXPECT_EQ(kind_of({.name = "[trainStation2]"}), "none");
  EXPECT_EQ(kind_of({.name = "T copy (12)"}), "copy");
  EXPECT_EQ(kind_of({.name = "__myl_Tra_myl3_1"}), "copy");
  EXPECT_EQ(kind_of({.name = "__myl_MeaSub_myl3_1"}), "layer");
  EXPECT_EQ(kind_of({.name = "conv.weight_quantized"}), "none");
  EXPECT_EQ(kind_of({.name = "conv.weight_quantized + Conv_4"}), "layer");
  EXPECT_EQ(kind_of({.name = "(Unnamed Layer* 714) [Constant]"}), "none");
}

TEST(LayerKind, OfOnnxRuntimeFollowsTheOperator) {
  EXPECT_EQ(kind_of({.name = "q", .type = "QuantizeLinear"}), "quantize");
  EXPECT_EQ(kind_of({.name = "r", .type = "ReorderOutput"}), "reformat");
  EXPECT_EQ(kind_of({.name = "c", .type = "QLinearConv"}), "layer");
}

TEST(KernelOperations, AreTheWordsOfTheName) {
  EXPECT_THAT(kernel_operations("__myl_CastMulRoun_myl2_14"), ElementsAre("Cast", "Mul", "Roun"));
  EXPECT_THAT(kernel_operations("__myl_CasMulExpRou_myl2_14"), ElementsAre("Cast", "Mul", "Exp", "Roun"));
  EXPECT_THAT(kernel_operations("/conv1/Conv_myl2_14"), IsEmpty());
  EXPECT_THAT(kernel_operations("__myl"), IsEmpty());
}

}  // namespace
}  // namespace detent
