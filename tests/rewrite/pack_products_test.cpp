#include "rewrite/pack_products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "model/model.h"

namespace detent {
namespace {

using testing::Each;
using testing::ElementsAre;

std::string repeated(int count, const std::string& each) {
  std::string text = each;
  for (int i = 1; i < count; ++i) text += "," + each;
  return text;
}

/// x times a matrix of 20 rows and 2 columns, the second of which is -1 everywhere and the first 3.
Model product(const std::string& type, const std::string& scales, const std::string& attributes,
              const std::string& zero = "", const std::string& more = "") {
  return parse_model_text(R"(<ir_version: 10, opset_import: ["" : 21]>
    g (float[1,20] x) => (float[1,2] y)
    <)" + type + "[20,2] w = {" +
                          repeated(20, "3,-1") + "}, " + scales + zero + R"(>
    { d = DequantizeLinear <)" +
                          attributes + "> (w, s" + (zero.empty() ? "" : ", z") + R"()
      y = MatMul (x, d) )" +
                          more + "}");
}

Model packed(Model model) {
  apply_patch(model, pack_products(model.graph()));
  return model;
}

const Node& only_node(const Model& model) {
  EXPECT_EQ(model.graph().nodes().size(), 1U);
  return model.graph().nodes().front();
}

TEST(PackProductsTest, RepeatsTheScaleOfAColumnAndFillsTheLastBlock) {
  const Model model = packed(product("int8", "float[2] s = {0.5,0.25}", "axis = 1"));
  const Node& node = only_node(model);
  EXPECT_EQ(node.op_type, "MatMulNBits");
  EXPECT_EQ(node.domain, "com.microsoft");
  EXPECT_EQ(node.int_or("bits", 0), 8);
  EXPECT_EQ(node.int_or("K", 0), 20);
  EXPECT_EQ(node.int_or("N", 0), 2);
  const auto codes = model.graph().constant(node.input(1))->data<uint8_t>();
  ASSERT_EQ(codes.size(), 256U) << "two columns, one block of 128 rows";
  EXPECT_THAT(codes.subspan(0, 20), Each(131));
  EXPECT_THAT(codes.subspan(20, 108), Each(128)) << "zeros beyond the last row";
  EXPECT_THAT(codes.subspan(128, 20), Each(127));
  EXPECT_THAT(model.graph().constant(node.input(2))->data<float>(), ElementsAre(0.5F, 0.25F));
}

TEST(PackProductsTest, PacksTwoCodesOfFourBitsInAByte) {
  Model codes_of_8 = product("int8", "float[2,2] s = {0.5,0.25,2,4}", "axis = 0, block_size = 16");
  Tensor codes_of_4(DataType::Int4, Shape{20, 2});  // the text has no such constants
  auto* numbers = static_cast<int8_t*>(codes_of_4.mutable_raw());
  for (int i = 0; i < 40; ++i) numbers[i] = i % 2 == 0 ? 3 : -1;
  GraphPatch shorter{.reason = "4 bits"};
  shorter.replace_constants.emplace_back("w", std::move(codes_of_4));
  apply_patch(codes_of_8, shorter);
  const Model model = packed(std::move(codes_of_8));
  const Node& node = only_node(model);
  EXPECT_EQ(node.int_or("bits", 0), 4);
  EXPECT_EQ(node.int_or("block_size", 0), 16);
  const auto codes = model.graph().constant(node.input(1))->data<uint8_t>();
  ASSERT_EQ(codes.size(), 32U) << "two columns, two blocks of 16 rows";
  EXPECT_THAT(codes.subspan(0, 10), Each(0xBB)) << "3 + 8, twice";
  EXPECT_THAT(codes.subspan(10, 6), Each(0x88));
  EXPECT_THAT(codes.subspan(16, 10), Each(0x77));
  EXPECT_THAT(model.graph().constant(node.input(2))->data<float>(), ElementsAre(0.5F, 2.0F, 0.25F, 4.0F));
}

TEST(PackProductsTest, LeavesWhatMatMulNBitsCannotHold) {
  const auto stays = [](const Model& model) { return pack_products(model.graph()).empty(); };
  const std::string scales = "float[2] s = {0.5,0.25}";
  EXPECT_FALSE(stays(product("int8", scales, "axis = 1", ", int8[2] z = {0,0}")));
  EXPECT_TRUE(stays(product("int8", scales, "axis = 1", ", int8[2] z = {0,1}"))) << "a zero point";
  EXPECT_TRUE(stays(product("int8", scales, "axis = 1", "", "u = Relu (d) "))) << "a second reader";
  EXPECT_TRUE(stays(product("int8", "float s = {0.5}", "axis = 1"))) << "one scale";
  EXPECT_TRUE(stays(product("int8", "float[2,2] s = {1,1,1,1}", "axis = 0, block_size = 10"))) << "no power of two";
}

}  // namespace
}  // namespace detent
