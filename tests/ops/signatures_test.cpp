#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/onnx_type.h"
#include "ops/check_signatures.h"
#include "ops/node_runner.h"
#include "ops/op_list.h"
#include "ops/signature_notation.h"
#include "ops/signatures.h"

namespace detent {
namespace {

using Presence = Parameter::Presence;

constexpr int kOldest = 7;   // the oldest opset that Detent reads without conversion
constexpr int kNewest = 17;  // the newest that libonnx 1.12 knows

/// Returns the presence of every parameter, a list only where at least one must be there.
std::vector<Presence> presences(const std::vector<onnx::OpSchema::FormalParameter>& parameters, int least) {
  std::vector<Presence> found;
  for (const auto& parameter : parameters) {
    const int position = static_cast<int>(found.size());
    if (parameter.GetOption() == onnx::OpSchema::Optional)
      found.push_back(Presence::MayBeAbsent);
    else if (parameter.GetOption() == onnx::OpSchema::Variadic)
      found.push_back(least > position ? Presence::OneOrMore : Presence::AnyNumber);
    else
      found.push_back(Presence::Required);
  }
  return found;
}

std::vector<Presence> presences(const std::vector<Parameter>& parameters) {
  std::vector<Presence> found;
  for (const Parameter& parameter : parameters) found.push_back(parameter.presence);
  return found;
}

std::string_view type_word(onnx::AttributeProto::AttributeType type) {
  static const std::map<int, std::string_view> words = {
      {onnx::AttributeProto::INT, "int"},         {onnx::AttributeProto::FLOAT, "float"},
      {onnx::AttributeProto::STRING, "string"},   {onnx::AttributeProto::INTS, "ints"},
      {onnx::AttributeProto::FLOATS, "floats"},   {onnx::AttributeProto::STRINGS, "strings"},
      {onnx::AttributeProto::TENSOR, "tensor"},   {onnx::AttributeProto::GRAPH, "graph"},
      {onnx::AttributeProto::TYPE_PROTO, "type"}, {onnx::AttributeProto::SPARSE_TENSOR, "sparse_tensor"}};
  return words.at(type);
}

using Attributes = std::map<std::string, std::pair<std::string, bool>>;  // type and whether it is required, by name

TEST(Signatures, AgreeWithTheSchemasOfLibonnx) {
  size_t compared = 0;
  for (const OperatorDef& definition : operator_list()) {
    for (int opset = std::max(kOldest, definition.first_opset); opset <= std::min(kNewest, definition.last_opset);
         ++opset) {
      const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(std::string(definition.op_type), opset);
      if (!schema || schema->Deprecated()) continue;
      SCOPED_TRACE(std::string(definition.op_type) + ", opset " + std::to_string(opset));
      const Signature& own = *find_signature(definition.op_type, opset);
      EXPECT_EQ(presences(own.inputs), presences(schema->inputs(), schema->min_input()));
      EXPECT_EQ(presences(own.outputs), presences(schema->outputs(), schema->min_output()));
      Attributes ours, theirs;
      for (const AttributeRule& rule : own.attributes)
        ours[std::string(rule.name)] = {std::string(rule.type), rule.required};
      for (const auto& [name, attribute] : schema->attributes())
        theirs[name] = {std::string(type_word(attribute.type)), attribute.required};
      EXPECT_EQ(ours, theirs);
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000U);  // operators times opsets
}

/// Messages name inputs as the documentation does.
TEST(Signatures, NameTheParametersAsOnnxDoes) {
  const std::set<std::string_view> shared_words = {"Min", "Max", "Sum", "Mean"};  // "data", where ONNX says "data_0"
  for (const OperatorDef& definition : operator_list()) {
    const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(std::string(definition.op_type), kNewest);
    if (!schema || schema->Deprecated() || shared_words.contains(definition.op_type)) continue;
    if (definition.last_opset < kNewest) continue;
    const Signature& own = *find_signature(definition.op_type, kNewest);
    for (size_t i = 0; i < own.inputs.size() && i < schema->inputs().size(); ++i)
      EXPECT_EQ(own.inputs[i].name, schema->inputs()[i].GetName()) << definition.op_type;
  }
}

constexpr int kNewestRead = 28;

/// Operators without types in the table: those that hold graphs, Constant and those of optionals.
const std::set<std::string_view> kWithoutRow = {
    "If", "Loop", "Scan", "SequenceMap", "Constant", "Optional", "OptionalGetElement", "OptionalHasElement"};

/// Parses a type: "tensor(int64)" -> Int64; any sequence -> Sequence; Undefined for types that Detent does not have.
DataType type_named(const std::string& text) {
  if (text.starts_with("seq(") || text.starts_with("optional(")) return DataType::Sequence;
  const std::string element = text.substr(7, text.size() - 8);
  return element == "string" ? DataType::String : data_type_named(element);
}

/// Returns the types of a parameter, Undefined left out, and the parameter's variable in the schema.
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

/// Returns equal letters for equal variables: "aab" for three parameters, the first two of one variable. A variable of
/// one type counts as none.
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
      const Signature* own = find_signature(op_type, opset);
      ASSERT_NE(own, nullptr);
      ASSERT_LE(own->since, opset);
      ASSERT_EQ(own->inputs.size(), schema->inputs().size());
      ASSERT_EQ(own->outputs.size(), schema->outputs().size());
      std::vector<int> variables;
      std::vector<std::string> names;
      for (const auto* list : {&own->inputs, &own->outputs})
        for (const Parameter& parameter : *list) variables.push_back(parameter.variable);
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
      const Signature* newest = find_signature(definition.op_type, kNewestRead);
      ASSERT_NE(newest, nullptr) << definition.op_type;
      EXPECT_FALSE(newest->variables.empty()) << definition.op_type;
    }
  EXPECT_EQ(find_signature("Zzz", 17), nullptr);
}

struct SlotTypeCase {
  const char* op_type;
  int opset;
  size_t input;
  DataType type;
  bool taken;
};

TEST(OperatorTypes, FollowTheChangelogBehindLibonnx) {
  const SlotTypeCase cases[] = {{"IsInf", 19, 0, DataType::Float16, false},
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
  for (const SlotTypeCase& one : cases) {
    const Signature* signature = find_signature(one.op_type, one.opset);
    ASSERT_NE(signature, nullptr) << one.op_type;
    const auto& variable = signature->variables[static_cast<size_t>(signature->input(one.input)->variable)];
    EXPECT_EQ(variable.types.contains(one.type), one.taken) << one.op_type << " at opset " << one.opset;
  }
}

TEST(OperatorTypes, AreReadAsTheyAreWritten) {
  const auto versions =
      signature_notation::parse("a:T b:i64 -> c:T d:U@to=T; to:int T=f32 U=float | 13: a:T* -> c:T*; T+bool");
  ASSERT_EQ(versions.size(), 2U);
  const auto types = [&](size_t version, const Parameter* parameter) {
    return versions[version].variables[static_cast<size_t>(parameter->variable)].types;
  };
  EXPECT_EQ(types(0, versions[0].input(1)).text(), "int64");
  EXPECT_EQ(versions[0].input(2), nullptr);
  EXPECT_EQ(versions[0].output(1)->attribute, "to");
  EXPECT_EQ(versions[0].output(1)->default_variable, versions[0].input(0)->variable);
  EXPECT_EQ(versions[1].since, 13);
  EXPECT_EQ(versions[1].input(5)->variable, versions[1].input(0)->variable);
  EXPECT_EQ(types(1, versions[1].input(0)).text(), "float or bool");
  EXPECT_TRUE(versions[0].same_form(versions[0]));
  EXPECT_FALSE(versions[0].same_form(versions[1]));
}

TEST(Signatures, AreReadAsTheyAreWritten) {
  const auto versions =
      signature_notation::parse("X W B? -> Y Z?; group:int! mode:string(a|b) | 13: data+ -> y; -group");
  ASSERT_EQ(versions.size(), 2U);
  EXPECT_EQ(versions[0].since, 1);
  EXPECT_EQ(versions[0].inputs[2].name, "B");
  EXPECT_EQ(versions[0].inputs[2].presence, Presence::MayBeAbsent);
  EXPECT_EQ(versions[0].outputs.size(), 2U);
  EXPECT_TRUE(versions[0].attributes[0].required);
  EXPECT_EQ(versions[0].attributes[1].choices, "a|b");
  EXPECT_EQ(versions[1].since, 13);
  EXPECT_EQ(versions[1].inputs[0].presence, Presence::OneOrMore);
  ASSERT_EQ(versions[1].attributes.size(), 1U);
  EXPECT_EQ(versions[1].attributes[0].name, "mode");
}

TEST(Signatures, ThatAreMalformedDoNotCompile) {  // the rows are parsed in a consteval constructor
  for (const char* text : {"", "X", "X -> ", "X* Y -> Z", "X -> Y; axis", "X -> Y; axis:integer",
                           "X -> Y; axis:int(a|b)", "13: X -> Y | 11: X -> Y", "X -> Y; :int", "X; -> Y",
                           "X -> Y; -axis", "X:T -> Y:T", "X:T -> Y:T; T=real", "X:T -> Y:T; T"})
    EXPECT_ANY_THROW((void)signature_notation::parse(text)) << text;
}

struct SignatureCase {
  std::string node;
  std::string message;  ///< "" -> accepted
  int opset = 22;       // newer than libonnx, whose checker is silent
};

std::string refusal_of(const SignatureCase& one) {
  const Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : " + std::to_string(one.opset) +
                                       "]> g (float x, float w, float b, bool c) => (float y) { " + one.node + " }");
  try {
    check_signatures(model.graph());
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
    return error.what();
  }
}

TEST(CheckSignatures, SaysWhatIsMissingOrTooMuch) {
  const SignatureCase cases[] = {
      {"y = Conv(x, w)", ""},
      {"y = Conv(x, w, b)", ""},
      {"y = Conv(x, w, )", ""},
      {"y = Conv(x)", "node 'Conv_0' (Conv, opset 22): input 1 (W) is required"},
      {"y = Conv(x, , b)", "node 'Conv_0' (Conv, opset 22): input 1 (W) is required"},
      {"y = Conv(x, w, b, x)", "node 'Conv_0' (Conv, opset 22): 4 inputs are given, at most 3 are allowed"},
      {"y, z = Conv(x, w)", "node 'Conv_0' (Conv, opset 22): 2 outputs are given, at most 1 are allowed"},
      {"y = Concat<axis = 0>(x, , w)", "node 'Concat_0' (Concat, opset 22): input 1 has an empty name"},
      {"y = Concat(x, w)", "node 'Concat_0' (Concat, opset 22): attribute 'axis' is required"},
      {"y = Concat<axis = \"1\">(x, w)",
       "node 'Concat_0' (Concat, opset 22): attribute 'axis' is a string; it must be an integer"},
      {"y = Conv<strides = 2>(x, w)",
       "node 'Conv_0' (Conv, opset 22): attribute 'strides' is an integer; it must be a list of integers"},
      {"y = Conv<auto_pad = \"SAME\">(x, w)",
       "node 'Conv_0' (Conv, opset 22): attribute 'auto_pad' is 'SAME'; it must be one of NOTSET, SAME_UPPER, "
       "SAME_LOWER, "
       "VALID"},
      {"y = Conv<auto_pad = \"NOTSET|VALID\">(x, w)",
       "node 'Conv_0' (Conv, opset 22): attribute 'auto_pad' is 'NOTSET|VALID'; it must be one of NOTSET, SAME_UPPER, "
       "SAME_LOWER, VALID"},
  };
  for (const SignatureCase& one : cases) EXPECT_EQ(refusal_of(one), one.message) << one.node;
}

TEST(CheckSignatures, KnowsTheVersions) {
  EXPECT_EQ(refusal_of({"y = ReduceMean<axes = [0]>(x)", "", 17}), "");
  EXPECT_EQ(refusal_of({"y = ReduceMean(x, w)", "", 18}), "");
  EXPECT_EQ(refusal_of({"y = OptionalHasElement()", "", 18}), "");
  EXPECT_EQ(refusal_of({"y = DFT<axis = \"1\">(x)", "", 20}), "") << "no attribute of this version";
  EXPECT_NE(refusal_of({"y = AveragePool<kernel_shape = [1], dilations = 1>(x)", "", 19}), "");
}

// It cannot run there, but plans and findings look at its operands.
TEST(CheckSignatures, LooksAtOperatorsOfOtherOpsets) {
  EXPECT_NE(refusal_of({"y = BitCast<to = 1>()", "", 9}), "") << "known from opset 26 on";
  EXPECT_EQ(refusal_of({"y = BitCast<to = 1>(x)", "", 9}), "");
}

TEST(CheckSignatures, PassesOverWhatItDoesNotKnow) {
  EXPECT_EQ(refusal_of({"y = Frobnicate(x, , w)"}), "") << "an operator";
  EXPECT_EQ(refusal_of({"y = Conv<exporter_note = \"abc\">(x, w)"}), "") << "an attribute";
}

TEST(CheckSignatures, LooksIntoBranches) {
  const std::string inner =
      "then_branch = t () => (float u) { u = Conv(x) }, else_branch = e () => (float v) { v = Abs(x) }";
  EXPECT_EQ(refusal_of({"y = If<" + inner + ">(c)"}),
            "node 'If_0' (If, opset 22): node 'Conv_0' (Conv, opset 22): input 1 (W) is required");
  EXPECT_EQ(refusal_of({"y = If<then_branch = t () => (float u) { u = Abs(x) }>(c)"}),
            "node 'If_0' (If, opset 22): attribute 'else_branch' is required");
}

}  // namespace
}  // namespace detent
