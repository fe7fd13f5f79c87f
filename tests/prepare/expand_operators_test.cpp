#include "prepare/expand_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "exec/executor.h"
#include "ops/check_signatures.h"

// Values: tests/onnxruntime/expansion_test.py compares every operator with the engine's kernels. Here: what an
// expansion does to the graph around it.
namespace detent {
namespace {

std::vector<std::string> operator_names(const Graph& graph) {
  std::vector<std::string> found;
  for (const Node& node : graph.nodes())
    found.push_back(node.domain.empty() ? node.op_type : node.domain + "." + node.op_type);
  return found;
}

constexpr const char* kFusedConv = R"(
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[1,2,4,4] x) => (float[1,3,4,4] y) <float[3,2,1,1] w = {1, 2, 3, 4, 5, 6}>
{
  y = com.microsoft.FusedConv <activation = "Relu"> (x, w)
})";

TEST(ExpandOperators, NewNodesBeginWithTheNameOfTheNodeAndItsOutputKeepsItsName) {
  Model model = parse_model_text(kFusedConv);
  const std::string name = model.graph().nodes()[0].name;
  const Expansion done = expand_operators(model);
  EXPECT_THAT(done.operators, testing::ElementsAre(testing::Pair("com.microsoft.FusedConv", 1)));
  EXPECT_TRUE(done.kept.empty());
  const Graph& graph = model.graph();
  EXPECT_THAT(operator_names(graph), testing::ElementsAre("Conv", "Relu"));
  for (const Node& node : graph.nodes()) EXPECT_THAT(node.name, testing::StartsWith(name + "/"));
  EXPECT_EQ(graph.producer(*graph.find_value("y"))->op_type, "Relu");
}

TEST(ExpandOperators, AnAttributeOfTheFusedOperatorAloneGoes) {
  Model model = parse_model_text(kFusedConv);
  (void)expand_operators(model);
  EXPECT_FALSE(model.graph().nodes()[0].has("activation"));
}

TEST(ExpandOperators, AModelOfOnnxOperatorsStaysAsItIs) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 20]>
    g (float[2,4] x) => (float[2,4] y, float[2,4] z) <float[4] s = {1, 1, 1, 1}>
    { y = LayerNormalization (x, s)  z = Gelu (y) })");
  const Expansion done = expand_operators(model);
  EXPECT_TRUE(done.operators.empty());
  EXPECT_THAT(operator_names(model.graph()), testing::ElementsAre("LayerNormalization", "Gelu"));
}

TEST(ExpandOperators, ANormOfAnOpsetWithoutItIsWrittenOut) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 13]>
    g (float[2,4] x) => (float[2,4] y) <float[4] s = {1, 1, 1, 1}> { y = LayerNormalization (x, s) })");
  EXPECT_THAT(expand_operators(model).operators, testing::ElementsAre(testing::Pair("LayerNormalization", 1)));
  EXPECT_THAT(operator_names(model.graph()), testing::Not(testing::Contains("LayerNormalization")));
}

TEST(ExpandOperators, GraphsInsideNodesAreExpandedToo) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (bool c, float[2,4] x) => (float[2,4] y)
    {
      y = If (c) <then_branch = t () => (float[2,4] a) { a = com.microsoft.QuickGelu (x) },
                  else_branch = e () => (float[2,4] b) { b = com.microsoft.Gelu (x) }>
    })");
  EXPECT_EQ(expand_operators(model).operators.size(), 2U);
  const Node& node = model.graph().nodes()[0];
  for (const char* branch : {"then_branch", "else_branch"})
    EXPECT_THAT(operator_names(*node.graph(branch)), testing::Each(testing::Not(testing::HasSubstr("com.microsoft"))));
}

TEST(ExpandOperators, AnOutputThatIsAnInputOfALaterNodeOfTheBodyKeepsItsNameThere) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (float[1,2,4] x, float[1,2,4] skip) => (float[1,2,4] y, float[1,2,4] sum) <float[4] s = {1, 1, 1, 1}>
    { y, , , sum = com.microsoft.SkipSimplifiedLayerNormalization (x, skip, s) })");
  (void)expand_operators(model);
  const std::vector<Tensor> inputs{Tensor::from<float>(Shape{1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
                                   Tensor::from<float>(Shape{1, 2, 4}, {1, 1, 1, 1, 1, 1, 1, 1})};
  const Tensor sum = run_once(model.graph(), inputs, model.graph().outputs())[1];
  EXPECT_THAT(sum.data<float>(), testing::ElementsAre(2, 3, 4, 5, 6, 7, 8, 9));
}

// ---- Forms without an expansion -------------------------------------------------------------------------------------

TEST(ExpandOperators, AFormWithoutAnExpansionStaysAndIsNamedWithTheReason) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (float[1,2,4,4] x, float[2,4] v) => (float[1,3,4,4] y, float[2,4] z) <float[3,2,1,1] w = {1, 2, 3, 4, 5, 6}>
    {
      y = com.microsoft.FusedConv <activation = "Mish"> (x, w)
      z = com.microsoft.QuickGelu (v)
    })");
  const std::string name = model.graph().nodes()[0].name;
  const Expansion done = expand_operators(model);
  ASSERT_EQ(done.kept.size(), 1U);
  EXPECT_EQ(done.kept[0].node, name);
  EXPECT_THAT(done.kept[0].reason, testing::HasSubstr("activation 'Mish'"));
  EXPECT_THAT(operator_names(model.graph()), testing::Contains("com.microsoft.FusedConv"));
  EXPECT_EQ(done.operators.size(), 1U) << "the other node is expanded";
  try {
    refuse_kept(done);
    FAIL() << "refuse_kept accepts it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Unsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("node '" + name + "' (FusedConv): activation 'Mish'"));
  }
}

TEST(ExpandOperators, AnOpsetWithoutAnOperatorOfTheExpansionIsAReason) {
  const auto reason = [](const char* opset) {
    Model model =
        parse_model_text(std::string("<ir_version: 8, opset_import: [\"\" : ") + opset + R"(, "com.microsoft" : 1]>
      g (float[2,4] x) => (float[2,4] y) { y = com.microsoft.Gelu (x) })");
    const Expansion done = expand_operators(model);
    return done.kept.empty() ? std::string() : done.kept[0].reason;
  };
  EXPECT_THAT(reason("8"), testing::HasSubstr("opset 9")) << "Erf";
  EXPECT_EQ(reason("9"), "");
}

/// Returns the reason why a node of float inputs x [1, 2, 4], w [4, 12], v [4] (constants w, v) stays.
std::string reason_of(const std::string& node) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 16, "com.microsoft" : 1]>
    g (float[1,2,4] x, int32[1] n, int32 t) => (float[1,2,4] y) <float[4,12] w = {)" +
                                 [] {
                                   std::string numbers = "0";
                                   for (int i = 1; i < 48; ++i) numbers += ", 0";
                                   return numbers;
                                 }() +
                                 R"(}, float[4] v = {1, 2, 3, 4}, uint8[2] b = {1, 2}> { )" + node + " }");
  const Expansion done = expand_operators(model);
  return done.kept.empty() ? std::string() : done.kept[0].reason;
}

TEST(ExpandOperators, NumbersThatMakeNoSenseAreReasons) {
  const std::map<std::string, const char*> nodes{
      {"y = LayerNormalization <axis = 3> (x, v)", "axis=3 does not fit"},
      {"y = LayerNormalization <axis = -1000000000> (x, v)", "does not fit"},
      {"y = com.microsoft.Attention <num_heads = -2> (x, w)", "num_heads=-2"},
      {"y = com.microsoft.Attention <num_heads = 0> (x, w)", "num_heads does not divide"},
      {"y = com.microsoft.Attention <num_heads = 3> (x, w)", "num_heads does not divide"},
      {"y = com.microsoft.Attention <num_heads = 2> (x, w, v)", "input 2 has shape 4"},
      {"y = com.microsoft.Attention <num_heads = 2> (x, v)", "extents of its weights"},
      {"y = com.microsoft.Attention <num_heads = 1, qkv_hidden_sizes = [4611686018427387904, 4, 4]> (x, w)",
       "qkv_hidden_sizes"},
      {"y = com.microsoft.MatMulNBits <K = 9223372036854775807, N = 4, block_size = 16> (x, b, v)",
       "K=9223372036854775807"},
      {"y = com.microsoft.MatMulNBits <K = 2147483647, N = 2147483647, block_size = 16> (x, b, v)",
       "(scales) holds 4 elements"},
      {"y = com.microsoft.MatMulNBits <K = 4, N = 4, block_size = 16> (x, b, v)", "(B) holds 2 elements"},
      {"y = com.microsoft.MatMulNBits <K = 4, N = 4, block_size = 0> (x, b, v)", "block_size"},
      {"y = com.microsoft.MatMulNBits <K = 4, N = 4, block_size = 16, bits = 3> (x, b, v)", "bits=3"},
      {"y = com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 0> (x, x, x, , , n, t)", "kv_num_heads"},
      {"y = com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 2, do_rotary = 1> (x, x, x, , , n, t)",
       "cos_cache"},
      {"y = com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 2> (x, x, , , , n, t)", "go together"},
      {"y = com.microsoft.MultiHeadAttention <num_heads = 2> (x, x, x, , , , x)", "go together"}};
  for (const auto& [node, reason] : nodes) EXPECT_THAT(reason_of(node), testing::HasSubstr(reason)) << node;
}

// ---- Signatures -----------------------------------------------------------------------------------------------------

std::string fault_of(const char* node) {
  const Model model = parse_model_text(
      std::string(
          R"(<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]> g (float[1,2,4] x) => (float[1,2,4] y) { )") +
      node + " }");
  try {
    check_signatures(model.graph());
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(MicrosoftSignatures, AMalformedNodeIsNamed) {
  EXPECT_THAT(fault_of("y = com.microsoft.MultiHeadAttention (x, x, x)"),
              testing::HasSubstr("'num_heads' is required"));
  EXPECT_THAT(fault_of("y = com.microsoft.SkipLayerNormalization (x, x)"),
              testing::HasSubstr("input 2 (gamma) is required"));
  EXPECT_THAT(fault_of("y = com.microsoft.Gelu (x, x)"), testing::HasSubstr("at most 1"));
  EXPECT_THAT(fault_of("y = com.microsoft.QuickGelu <alpha = 1> (x)"), testing::HasSubstr("must be a float"));
  EXPECT_THAT(fault_of("y = com.microsoft.Nothing (x, x)"), "") << "operators without a signature are not checked";
  EXPECT_THAT(fault_of("y = com.microsoft.QuickGelu (x)"), "");
}

}  // namespace
}  // namespace detent
