#include "run/own_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/summing_steps.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using OwnSteps = SummingSteps;

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
  const Model quantized = summing("0.5");
  const auto own = own_steps(quantized, request, *steps, {});
  EXPECT_EQ(steps->read(3).inputs[1].data<float>()[0], 3);
  EXPECT_EQ(own->read(3).inputs[1].data<float>()[0], 4.5F);
}

TEST_F(OwnSteps, AreNamedBehindTheirSample) {
  const auto steps = open_samples(parse_samples(data_), float_);
  EXPECT_EQ(steps->sample_name(6).substr(sample_of_step(steps->sample_name(6)).size()), " step 3");
  EXPECT_EQ(sample_of_step("a step b.npy step 12"), "a step b.npy");
}

}  // namespace
}  // namespace detent
