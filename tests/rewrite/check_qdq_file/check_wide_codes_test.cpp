// Tests the check of files with 16-bit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rewrite/check_qdq_file.h"
#include "rewrite/quantized_network.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Tensor code_of(DataType type, int32_t number) { return cast(Tensor::from<int32_t>({}, {number}), type); }

PlacementRequest a16w8() {
  PlacementRequest placement;
  placement.type = CodeType::A16W8;
  return placement;
}

std::string first_flaw(const QuantizedNetwork& network) {
  const auto flaws = find_qdq_flaws(network.graph(), network.promised, {});
  return flaws.empty() ? "" : flaws.front().node + " " + flaws.front().what;
}

TEST(CheckWideCodes, AcceptsWhatAnA16W8PlanWrites) {
  const QuantizedNetwork network("onnxruntime", {}, a16w8());
  EXPECT_EQ(first_flaw(network), "");
  EXPECT_TRUE(network.writer(network.reads("c1", 0)).of_microsoft) << "opset 17";
}

TEST(CheckWideCodes, AcceptsSingleValuesOf16Bits) {
  PlacementRequest placement;
  placement.wide_values = {"r1"};
  const QuantizedNetwork network("onnxruntime", {}, placement);
  EXPECT_EQ(first_flaw(network), "");
  const auto type_of = [&](const char* zero) {
    return network.graph().constant(*network.graph().find_value(zero))->type();
  };
  EXPECT_EQ(type_of("r1_zero_point"), DataType::UInt16);
  EXPECT_EQ(type_of("r2_zero_point"), DataType::UInt8) << "ONNX Runtime's Concat takes two scales";
  EXPECT_EQ(type_of("x_zero_point"), DataType::UInt8);
}

TEST(CheckWideCodes, HoldForAWholeScaleGroup) {
  const Model model = parse_model_text(test::fill_tensors(kNetwork));
  const auto plan_with = [&](const PlacementRequest& placement) {
    return make_placement_plan(model.graph(), find_target("tensorrt"), placement);
  };
  const std::vector<ValueId> group = plan_with({}).scale_groups().at(0);
  PlacementRequest placement;
  placement.wide_values = {model.graph().value(group.front()).name};
  const PlacementPlan plan = plan_with(placement);
  for (const auto& [id, value] : plan.values) EXPECT_EQ(value.wide, std::ranges::count(group, id) > 0);
  EXPECT_FALSE(plan.about(*model.graph().find_value("x")).wide);
}

TEST(CheckWideCodes, NamesAPairOfAnotherWidth) {
  QuantizedNetwork narrow("onnxruntime", {}, a16w8());
  narrow.replace("x_zero_point", code_of(DataType::UInt8, 0));
  EXPECT_THAT(first_flaw(narrow), HasSubstr("the plan has 16 bits for 'x'"));
  QuantizedNetwork wide("onnxruntime");
  wide.replace("x_zero_point", code_of(DataType::UInt16, 0));
  EXPECT_THAT(first_flaw(wide), HasSubstr("opset 17 is too old for it: 21 is needed"));
}

TEST(CheckWideCodes, NamesA16BitZeroPointOtherThan0OfSignedCodes) {
  QuantizedNetwork network("onnxruntime", {}, a16w8());
  network.replace("x_zero_point", code_of(DataType::Int16, 3));
  EXPECT_THAT(first_flaw(network), HasSubstr("the zero point of int16 codes is not 0"));
}

}  // namespace
}  // namespace detent
