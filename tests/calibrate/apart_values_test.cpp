// Tests which values keep a scale for themselves around a Concat, and that the plan then gives them one.
#include "calibrate/apart_values.h"

#include <gtest/gtest.h>

#include "model/model.h"
#include "place/make_plan.h"

namespace detent {
namespace {

std::string weight(const std::string& name, int outputs, int inputs) {
  std::string numbers;
  for (int i = 0; i < outputs * inputs; ++i) numbers += i ? ",1" : "1";
  return "float[" + std::to_string(outputs) + "," + std::to_string(inputs) + ",1,1] " + name + " = {" + numbers + "}";
}

/// Scores `s` are read by a layer and joined with boxes `b` in front of another.
class ValuesApart : public ::testing::Test {
 protected:
  ValuesApart()
      : model_(parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,16,8,8] x) => "
                                "(float[1,16,8,8] y, float[1,16,8,8] z) <" +
                                weight("w", 16, 16) + ", " + weight("v", 16, 32) +
                                "> { b = Conv (x, w) c = Conv (x, w) s = Sigmoid (c) j = Concat <axis = 1> (b, s) "
                                "y = Conv (j, v) z = Conv (s, w) }")) {}

  [[nodiscard]] std::map<std::string, double> apart(float boxes, const std::string& target = "tensorrt") {
    plan_ = make_placement_plan(model_.graph(), find_target(target), {});
    Calibration calibration;
    for (const ValueId value : plan_.quantized_values()) calibration.histograms[value].add(std::vector{1.0F});
    for (const char* name : {"b", "j"}) {
      const ValueId value = *model_.graph().find_value(name);
      if (calibration.histograms.contains(value)) calibration.histograms[value].add(std::vector{boxes});
    }
    return values_apart(model_.graph(), plan_, calibration);
  }

  Model model_;
  PlacementPlan plan_;
};

TEST_F(ValuesApart, AreThoseBelowAnEighthOfWhatTheyAreJoinedWith) {
  const auto found = apart(320);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found.at("s"), 1.0 / 320);
  EXPECT_TRUE(apart(7).empty());
  EXPECT_TRUE(apart(320, "onnxruntime").empty()) << "its Concat takes any scales";
}

TEST_F(ValuesApart, AreThoseWithATrainedRangeToo) {
  plan_ = make_placement_plan(model_.graph(), find_target("tensorrt"), {});
  const auto given = [&](float small) {
    Calibration calibration;
    calibration.given = {{*model_.graph().find_value("s"), {-small, small}},
                         {*model_.graph().find_value("j"), {-9, 9}}};
    return values_apart(model_.graph(), plan_, calibration);
  };
  EXPECT_DOUBLE_EQ(given(1).at("s"), 1.0 / 9);
  EXPECT_TRUE(given(2).empty());
}

TEST_F(ValuesApart, AreNoneWhereAConcatWithTwoScalesLeavesInt8) {
  EXPECT_TRUE(apart(320, "openvino").empty());
  EXPECT_FALSE(plan_.scale_groups().empty()) << "the same values share a scale";
  EXPECT_FALSE(apart(320, "tensorrt").empty()) << "it converts the codes";
}

TEST_F(ValuesApart, HaveAScaleForThemselvesInThePlan) {
  const auto found = apart(320);
  ASSERT_EQ(plan_.scale_groups().size(), 1U) << "s and j";
  const PlacementPlan remade = make_placement_plan(model_.graph(), find_target("tensorrt"), {}, {}, {.apart = found});
  EXPECT_TRUE(remade.scale_groups().empty());
  EXPECT_EQ(remade.quantized_values(), plan_.quantized_values());
  ASSERT_FALSE(remade.notes.empty());
  EXPECT_NE(remade.notes.back().find("'s' reaches 0.0031"), std::string::npos);
}

}  // namespace
}  // namespace detent
