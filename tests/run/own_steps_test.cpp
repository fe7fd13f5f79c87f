#include "run/own_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/temporary_folder.h"
#include "run/open_samples.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// y = h + x + `error` is the state h of the next step, and z = 4 y besides.
Model summing(const std::string& error) {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 1] h) => (float[N, 1] z, float[N, 1] y)\n<float[1] e = {" +
      error + "}, float[1] four = {4}> {\n  s = Add (h, x)\n  y = Add (s, e)\n  z = Mul (y, four) }");
}

/// Four steps of two samples of ones.
class OwnSteps : public ::testing::Test {
 protected:
  OwnSteps() {
    Tensor ones(DataType::Float32, {2, 4});
    for (float& x : ones.mutable_data<float>()) x = 1;
    data_.arrays = {ones};
    data_.steps = 4;
    data_.state = folder_.write("state.json", R"({"feeds": {"y": "h"}, "cut": {"x": 1}})");
  }

  TemporaryFolder folder_;
  DataOptions data_;
  Model float_ = summing("0");
};

TEST_F(OwnSteps, AreJudgedWithoutTheirStates) {
  const SampleRequest request = parse_samples(data_);
  EXPECT_THAT(without_states({}, request, float_).judged_outputs, ElementsAre("z"));
  EXPECT_THAT(without_states({.judged_outputs = {"y"}}, request, float_).judged_outputs, ElementsAre("y"))
      << "what the user names is judged";
  EXPECT_THAT(without_states({}, {}, float_).judged_outputs, IsEmpty()) << "whole samples have no states";
  const Model alone = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 1] h) => (float[N, 1] y) { y = Add (h, x) }");
  EXPECT_THAT(without_states({}, request, alone).judged_outputs, IsEmpty()) << "there is nothing else";
}

TEST_F(OwnSteps, ReadTheStatesOfTheirOwnModel) {
  const SampleRequest request = parse_samples(data_);
  const auto steps = open_samples(request, float_);
  std::vector<Model> models;
  models.push_back(summing("0.5"));
  const auto own = own_steps(models, request, *steps, {});
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(steps->read(3).inputs[1].data<float>()[0], 3);
  EXPECT_EQ(own[0]->read(3).inputs[1].data<float>()[0], 4.5F);
}

}  // namespace
}  // namespace detent
