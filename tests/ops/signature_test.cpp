#include <onnx/defs/schema.h>

#include <algorithm>
#include <map>
#include <set>

#include "ops/check_signatures.h"
#include "ops/node_runner.h"
#include "ops/op_list.h"

namespace detent {
namespace {

using Presence = Parameter::Presence;

constexpr int kOldest = 7;   // the oldest opset that Detent reads without conversion
constexpr int kNewest = 17;  // the newest that libonnx 1.12 knows

const SignatureVersion& version_at(const std::vector<SignatureVersion>& versions, int opset) {
  const auto later = std::ranges::find_if(versions, [&](const auto& one) { return one.since > opset; });
  return later == versions.begin() ? *later : *(later - 1);
}

/// Presence of every parameter, a list only where at least one must be there.
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
    const std::vector<SignatureVersion> versions = parse_signature(definition.signature.text());
    for (int opset = std::max(kOldest, definition.first_opset); opset <= std::min(kNewest, definition.last_opset);
         ++opset) {
      const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(std::string(definition.op_type), opset);
      if (!schema || schema->Deprecated()) continue;
      SCOPED_TRACE(std::string(definition.op_type) + ", opset " + std::to_string(opset));
      const SignatureVersion& own = version_at(versions, opset);
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

/// So that no message speaks of an input by a name that the documentation does not have.
TEST(Signatures, NameTheParametersAsOnnxDoes) {
  const std::set<std::string_view> shared_words = {"Min", "Max", "Sum", "Mean"};  // "data", where ONNX says "data_0"
  for (const OperatorDef& definition : operator_list()) {
    const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(std::string(definition.op_type), kNewest);
    if (!schema || schema->Deprecated() || shared_words.contains(definition.op_type)) continue;
    if (definition.last_opset < kNewest) continue;
    const std::vector<SignatureVersion> versions = parse_signature(definition.signature.text());
    const SignatureVersion& own = version_at(versions, kNewest);
    for (size_t i = 0; i < own.inputs.size() && i < schema->inputs().size(); ++i)
      EXPECT_EQ(own.inputs[i].name, schema->inputs()[i].GetName()) << definition.op_type;
  }
}

TEST(Signatures, AreReadAsTheyAreWritten) {
  const auto versions = parse_signature("X W B? -> Y Z?; group:int! mode:string(a|b) | 13: data+ -> y");
  ASSERT_EQ(versions.size(), 2U);
  EXPECT_EQ(versions[0].since, 1);
  EXPECT_EQ(versions[0].inputs[2].name, "B");
  EXPECT_EQ(versions[0].inputs[2].presence, Presence::MayBeAbsent);
  EXPECT_EQ(versions[0].outputs.size(), 2U);
  EXPECT_TRUE(versions[0].attributes[0].required);
  EXPECT_EQ(versions[0].attributes[1].choices, "a|b");
  EXPECT_EQ(versions[1].since, 13);
  EXPECT_EQ(versions[1].inputs[0].presence, Presence::OneOrMore);
  EXPECT_TRUE(versions[1].attributes.empty());
}

TEST(Signatures, ThatAreMalformedDoNotCompile) {  // the constructor is consteval and calls this
  for (const char* text : {"", "X", "X -> ", "X* Y -> Z", "X -> Y; axis", "X -> Y; axis:integer",
                           "X -> Y; axis:int(a|b)", "13: X -> Y | 11: X -> Y", "X -> Y; :int", "X; -> Y"})
    EXPECT_ANY_THROW((void)parse_signature(text)) << text;
}

struct SignatureCase {
  std::string node;
  std::string message;  ///< "" -> accepted
  int opset = 22;       // newer than libonnx: nobody else checks
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

// It cannot run there; but plans and findings know it by its name, and look at its operands.
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
