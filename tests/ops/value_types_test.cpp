#include "ops/value_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Model model_of(const std::string& graph, int opset = 17) {
  return parse_model_text("<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) + ", \"other\" : 1]> g " +
                          graph);
}

struct InferredCase {
  std::string nodes;  ///< reads x (float), h (float16), i (int64), u (uint8), b (bool); z is looked at
  std::string type;   ///< by its ONNX name
  int opset = 17;
};

TEST(ValueTypes, FollowFromTheSignaturesOfOperators) {
  const InferredCase cases[] = {
      {"z = Relu(x)", "float"},
      {"z = Relu(h)", "float16"},
      {"z = Cast<to = 10>(u)", "float16"},
      {"z = Cast<to = 7>(x)", "int64"},
      {"z = CastLike(x, h)", "float16"},
      {"z = Greater(x, x)", "bool"},
      {"z = Where(b, h, h)", "float16"},
      {"z = Shape(x)", "int64"},
      {"z = ArgMax(x)", "int64"},
      {"z = MatMul(i, i)", "int64"},
      {"t = Greater(x, x) z = Transpose(t)", "bool"},
      {"d, z = Dropout(x)", "bool"},
      {"v, z = TopK(x, i)", "int64"},
      {"z = Gather(h, i)", "float16"},
      {"z = ConstantOfShape(i)", "float"},
      {"z = ConstantOfShape<value = int32[1] {3}>(i)", "int32"},
      {"z = EyeLike(h)", "float16"},
      {"z = EyeLike<dtype = 6>(h)", "int32"},
      {"y, z = LayerNormalization(h, h)", "float"},
      {"z = QuantizeLinear(x, x)", "uint8"},
      {"z = QuantizeLinear(x, x, u)", "uint8"},
      {"z = QuantizeLinear<output_dtype = 3>(x, x)", "int8", 21},
      {"z = DequantizeLinear(u, h)", "float16", 19},
      {"z = DequantizeLinear<output_dtype = 1>(u, h)", "float", 23},
      {"z = If(b) <then_branch = t () => (p) { p = Cast<to = 10>(x) }, else_branch = e () => (q) { q = Cast<to = "
       "10>(u) }>",
       "float16"},
      // Nothing tells what another domain's operator makes, except a reader.
      {"z = other.Op(x)", "undefined"},
      {"z = other.Op(x) y = Add(z, h)", "float16"},
      {"z = other.Op(x) y = Identity(z)", "undefined"},
  };
  for (const InferredCase& one : cases) {
    const std::string nodes = one.nodes + " out = Identity(x)";
    const Model model =
        model_of("(float x, float16 h, int64 i, uint8 u, bool b) => (float out) { " + nodes + " }", one.opset);
    const Graph& graph = model.graph();
    const DataType type = value_types(graph)[*graph.find_value("z")];
    EXPECT_EQ(type == DataType::Undefined ? "undefined" : std::string(name_of(type)), one.type) << one.nodes;
  }
}

TEST(ValueTypes, OfAGraphInsideFollowFromTheOneAround) {
  const Model model = model_of(R"((float16 h, int64 n, bool c) => (float16 y)
{
  r = Relu(h)
  y = Loop(n, c, r) <body = g (i, k, a) => (k2, s) { k2 = Identity(k) s = Add(a, r) }>
})");
  const ValueTypes types(model.graph());
  const Graph& body = *model.graph().nodes()[1].graph("body");
  const auto type_of = [&](const char* name) { return types.of(body)[*body.find_value(name)]; };
  EXPECT_EQ(type_of("i"), DataType::Int64);
  EXPECT_EQ(type_of("k2"), DataType::Bool);
  EXPECT_EQ(type_of("a"), DataType::Float16);
  EXPECT_EQ(type_of("s"), DataType::Float16);
}

struct FaultCase {
  std::string nodes;
  std::string fault;  ///< empty: none
  int opset = 17;
};

TEST(GraphFaults, NameTheNodeAndTheRule) {
  const FaultCase cases[] = {
      {"z = QuantizeLinear(x, s)", ""},
      {"z = QuantizeLinear(u, s)",
       "node 'QuantizeLinear_1' (QuantizeLinear): input 0, 'u', is uint8; opset 17 has float or int32 there"},
      {"z = QuantizeLinear(h, s)", "input 0, 'h', is float16; opset 17 has float or int32 there"},
      {"z = QuantizeLinear(h, s)", "input 1, 's', is float; it must have the same type as the other operands, float16",
       19},
      {"z = Add(x, s)", ""},
      {"z = Add(x, h)", "input 1, 'h', is float16; it must have the same type as the other operands, float"},
      {"z = IsInf(h)", "input 0, 'h', is float16"},
      {"z = IsInf(h)", "", 20},
      {"z = Cast<to = 17>(x)", "output 0, 'z', is float8e4m3fn"},
      {"z = Cast<to = 17>(x)", "", 19},
      {"w = Cast<to = 10>(x) z = Identity(w)", "output 0, 'w', is float16; the file declares float"},
      {"z = other.Op(x, h)", ""},
      {"z = If(b) <then_branch = t () => (p) { p = Add(x, h) }, else_branch = e () => (q) { q = Neg(x) }>",
       "node 'If_1/Add_0' (Add): input 1, 'h', is float16"},
      {"z = If(b) <then_branch = t () => (p) { p = Neg(h) }, else_branch = e () => (q) { q = Neg(x) }>",
       "the graph inside makes float"},
      {"r = Neg(x) z = If(b) <then_branch = t () => (p) { r = Abs(x) p = Neg(r) }, else_branch = e () => (q) { q = "
       "Neg(r) }>",
       "value 'r': is defined in a graph inside the main graph, and around it"},
      {"r = Neg(x) z = If(b) <then_branch = t () => (p) { p = Neg(r) }, else_branch = e () => (q) { p = Neg(r) q = "
       "Neg(p) }>",
       ""},
  };
  for (const FaultCase& one : cases) {
    const Model model = model_of(
        "(float x, float16 h, float s, uint8 u, bool b) => (float out) <float w> { out = Neg(x) " + one.nodes + " }",
        one.opset);
    const std::vector<GraphFault> faults = find_graph_faults(model.graph());
    if (one.fault.empty()) {
      EXPECT_THAT(faults, IsEmpty()) << one.nodes << ": " << faults.front().what;
      continue;
    }
    ASSERT_FALSE(faults.empty()) << one.nodes;
    EXPECT_THAT(faults.front().where + ": " + faults.front().what, HasSubstr(one.fault)) << one.nodes;
  }
}

}  // namespace
}  // namespace detent
