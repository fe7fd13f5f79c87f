#include "ops/operator_types.h"

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <map>
#include <set>

#include "core/onnx_type.h"
#include "detent/base/error.h"
#include "ops/op_list.h"

namespace detent {
namespace {

constexpr int kOldest = 7;   // the oldest opset that Detent reads without conversion
constexpr int kNewest = 17;  // the newest that libonnx 1.12 knows
constexpr int kNewestRead = 28;

/// Operators that hold graphs, constants and optionals, whose types no row could tell.
const std::set<std::string_view> kWithoutRow = {
    "If", "Loop", "Scan", "SequenceMap", "Constant", "Optional", "OptionalGetElement", "OptionalHasElement"};

/// "tensor(int64)" -> Int64; any sequence -> Sequence; Undefined for types that Detent does not have.
DataType type_named(const std::string& text) {
  if (text.starts_with("seq(") || text.starts_with("optional(")) return DataType::Sequence;
  const std::string element = text.substr(7, text.size() - 8);
  return element == "string" ? DataType::String : data_type_named(element);
}

/// The types of a parameter, Undefined left out, and the parameter's variable in the schema.
std::set<DataType> types_of_parameter(const onnx::OpSchema::FormalParameter& parameter) {
  std::set<DataType> types;
  for (const auto* text : parameter.GetTypes())
    if (const DataType type = type_named(*text); type != DataType::Undefined) types.insert(type);
  return types;
}

std::set<DataType> types_in(const TypeSet& set) {
  std::set<DataType> types;
  for (int i = 0; i <= static_cast<int>(DataType::Sequence); ++i)
    if (set.contains(static_cast<DataType>(i))) types.insert(static_cast<DataType>(i));
  return types;
}

/// Of equal letters for equal variables: "aab" for three parameters, the first two of one variable. A variable of one
/// type is as good as none.
template <class NameOf>
std::string pattern(size_t count, const NameOf& name_of_parameter) {
  std::string letters;
  std::map<std::string, char> seen;
  for (size_t i = 0; i < count; ++i)
    letters += seen.try_emplace(name_of_parameter(i), static_cast<char>('a' + seen.size())).first->second;
  return letters;
}

TEST(OperatorTypes, AgreeWithTheSchemasOfLibonnx) {
  size_t compared = 0;
  for (const OperatorDef& definition : operator_list()) {
    const std::string op_type(definition.op_type);
    // Release 1.12 gives the grid the type of the data, which later releases correct for all opsets.
    if (kWithoutRow.contains(op_type) || op_type == "GridSample") continue;
    for (int opset = kOldest; opset <= kNewest; ++opset) {
      const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(op_type, opset);
      if (!schema || schema->Deprecated()) continue;
      SCOPED_TRACE(op_type + ", opset " + std::to_string(opset));
      const TypeSignature* own = find_type_signature(op_type, opset);
      ASSERT_NE(own, nullptr);
      ASSERT_EQ(own->inputs.size(), schema->inputs().size());
      ASSERT_EQ(own->outputs.size(), schema->outputs().size());
      std::vector<int> variables = own->inputs;
      std::vector<std::string> names;
      for (const TypeSignature::Output& output : own->outputs) variables.push_back(output.variable);
      for (const auto* list : {&schema->inputs(), &schema->outputs()})
        for (const auto& parameter : *list) {
          const auto& variable = own->variables[static_cast<size_t>(variables[names.size()])];
          EXPECT_EQ(types_in(variable.types), types_of_parameter(parameter)) << parameter.GetName();
          const bool one = parameter.GetTypes().size() == 1;
          names.push_back(one ? **parameter.GetTypes().begin() : parameter.GetTypeStr());
        }
      EXPECT_EQ(pattern(variables.size(), [&](size_t i) { return std::to_string(variables[i]); }),
                pattern(names.size(), [&](size_t i) { return names[i]; }));
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST(OperatorTypes, AreListedForEveryOperatorThatRuns) {
  for (const OperatorDef& definition : operator_list())
    if (!kWithoutRow.contains(definition.op_type)) {
      ASSERT_FALSE(type_signatures(definition.op_type).empty()) << definition.op_type;
      EXPECT_NE(find_type_signature(definition.op_type, kNewestRead), nullptr) << definition.op_type;
    }
  EXPECT_EQ(find_type_signature("Zzz", 17), nullptr);
}

struct TypeCase {
  const char* op_type;
  int opset;
  size_t input;
  DataType type;
  bool taken;
};

TEST(OperatorTypes, FollowTheChangelogBehindLibonnx) {
  const TypeCase cases[] = {{"IsInf", 19, 0, DataType::Float16, false},
                            {"IsInf", 20, 0, DataType::Float16, true},
                            {"Conv", 21, 0, DataType::BFloat16, false},
                            {"Conv", 22, 0, DataType::BFloat16, true},
                            {"TopK", 23, 0, DataType::BFloat16, false},
                            {"TopK", 24, 0, DataType::BFloat16, true},
                            {"QuantizeLinear", 18, 0, DataType::Float16, false},
                            {"QuantizeLinear", 19, 0, DataType::Float16, true},
                            {"QuantizeLinear", 28, 0, DataType::UInt8, false},
                            {"DequantizeLinear", 18, 0, DataType::Float8E4M3FN, false},
                            {"DequantizeLinear", 19, 0, DataType::Float8E4M3FN, true},
                            {"Resize", 22, 2, DataType::Float16, false}};
  for (const TypeCase& one : cases) {
    const TypeSignature* signature = find_type_signature(one.op_type, one.opset);
    ASSERT_NE(signature, nullptr) << one.op_type;
    const auto& variable = signature->variables[static_cast<size_t>(signature->input(one.input))];
    EXPECT_EQ(variable.types.contains(one.type), one.taken) << one.op_type << " at opset " << one.opset;
  }
}

TEST(OperatorTypes, AreReadAsTheyAreWritten) {
  const auto versions = parse_type_signatures("T i64 -> T U@to=T; T=f32 U=float | 13: T* -> T*; T+bool");
  ASSERT_EQ(versions.size(), 2U);
  EXPECT_EQ(versions[0].variables[static_cast<size_t>(versions[0].input(1))].types.only(), DataType::Int64);
  EXPECT_EQ(versions[0].input(2), -1);
  EXPECT_EQ(versions[0].output(1)->attribute, "to");
  EXPECT_EQ(versions[0].output(1)->default_variable, versions[0].input(0));
  EXPECT_EQ(versions[1].since, 13);
  EXPECT_EQ(versions[1].input(5), versions[1].input(0));
  EXPECT_EQ(versions[1].variables[static_cast<size_t>(versions[1].input(0))].types.text(), "float or bool");
}

TEST(OperatorTypes, AreRefusedWhereARowIsMalformed) {
  for (const char* text : {"T -> T", "T -> T; T=real", "T -> T; T", "13: T -> T; T=f32 | 11: T=f64"})
    EXPECT_THROW((void)parse_type_signatures(text), Error) << text;
}

}  // namespace
}  // namespace detent
