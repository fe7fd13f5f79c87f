#include "prepare/opset_adapters.h"

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <set>
#include <string>

namespace detent {
namespace {

TEST(OperatorHistory, ListsEveryChangeThatTheSchemasTell) {
  std::set<std::string> operators;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history())
    if (schema.domain().empty()) operators.insert(schema.Name());
  ASSERT_GT(operators.size(), 150U);
  for (const std::string& name : operators)
    for (int version = 2; version <= kNewestListedOpset; ++version) {
      const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(name, version);
      const bool existed = onnx::OpSchemaRegistry::Schema(name, version - 1) != nullptr;
      const bool changed = schema && existed && schema->SinceVersion() == version;
      EXPECT_EQ(operator_changed_at(name, version), changed) << name << " at opset " << version;
    }
}

TEST(OperatorHistory, KnowsNothingOfOtherNamesAndOpsets) {
  EXPECT_TRUE(operator_changed_at("Softmax", 13));
  EXPECT_FALSE(operator_changed_at("Softmax", 12));
  EXPECT_FALSE(operator_changed_at("Softmax", 0));
  EXPECT_FALSE(operator_changed_at("softmax", 13));
  EXPECT_FALSE(operator_changed_at("", 13));
  EXPECT_FALSE(operator_changed_at("Zzz", 13));
  EXPECT_FALSE(operator_changed_at("Softmax", kNewestListedOpset + 1));
}

}  // namespace
}  // namespace detent
