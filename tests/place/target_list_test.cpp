#include <gtest/gtest.h>

#include "place/rule_list.h"
#include "place/target.h"

namespace detent {
namespace {

TEST(TargetList, BareNameMeansTheDefaultVersion) {
  EXPECT_EQ(find_target("tensorrt").spec(), "tensorrt:10.13");
  EXPECT_EQ(&find_target("tensorrt"), &find_target("tensorrt:10.13"));
  EXPECT_EQ(find_target("onnxruntime").engine, Engine::OnnxRuntime);
}

TEST(TargetList, VersionsDifferWhereFactsDiffer) {
  EXPECT_TRUE(find_target("tensorrt:10.8").int8_weight_initializer);
  EXPECT_FALSE(find_target("tensorrt:8.6").int8_weight_initializer);
}

TEST(TargetList, ActivationTypesAreThoseOfTheEngine) {
  EXPECT_EQ(find_target("tensorrt").activation.type, DataType::Int8);
  EXPECT_TRUE(find_target("tensorrt").activation_type_fixed);
  EXPECT_EQ(find_target("onnxruntime").activation.type, DataType::UInt8);
  EXPECT_FALSE(find_target("onnxruntime").activation_type_fixed);
}

TEST(TargetList, UnknownTargetNamesTheKnownOnes) {
  for (const char* spec : {"tensorrt:9.9", "openvino", "", "TensorRT"}) {
    try {
      (void)find_target(spec);
      ADD_FAILURE() << spec << " was found";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Usage);
      EXPECT_NE(error.hint().find("tensorrt:8.6"), std::string::npos) << error.hint();
    }
  }
}

TEST(TargetList, EveryFactAndRuleHasItsSource) {
  for (const Target& target : target_list()) {
    EXPECT_FALSE(target.facts.empty()) << target.spec();
    for (const SourcedFact& fact : target.facts) {
      EXPECT_FALSE(fact.fact.empty());
      EXPECT_FALSE(fact.source.empty()) << fact.fact;
    }
    for (const Rule& rule : rule_list(target.engine)) {
      EXPECT_FALSE(rule.name.empty());
      EXPECT_FALSE(rule.source.empty()) << rule.name;
      EXPECT_TRUE(rule.mark || rule.decide || rule.visit || rule.share) << rule.name;
    }
  }
}

}  // namespace
}  // namespace detent
