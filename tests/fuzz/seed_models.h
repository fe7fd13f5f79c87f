#pragma once

#include <string_view>
#include <utility>

#include "model/onnx_protos.h"

namespace detent::fuzz {

/// Small models that one node does not cover: layers to place, pairs to read, functions, graphs in graphs.
inline constexpr std::pair<std::string_view, std::string_view> kSeedModels[] = {
    {"layers",
     R"(<ir_version: 8, opset_import: ["" : 13]> g (float[1,2,4,4] x) => (float[1,3] y)
<float[3,2,3,3] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9},
 float[3] s = {1,2,3}, float[3] b = {0,1,2}, float[3] m = {0,0,1}, float[3] v = {1,1,2}, float[3,3] k = {1,2,3,4,5,6,7,8,9}>
{ c = Conv<pads = [1,1,1,1]>(x, w, b)
  n = BatchNormalization(c, s, b, m, v)
  r = Relu(n)
  t = Add(r, c)
  p = GlobalAveragePool(t)
  f = Flatten(p)
  y = Gemm(f, k, b) })"},
    {"pairs",
     R"(<ir_version: 8, opset_import: ["" : 13]> g (float[2,3] x) => (float[2,2] y)
<float s = {0.5}, int8 z = {0}, float[2] ws = {0.5, 0.25}, int8[2] wz = {0, 0}, int8[3,2] w = {1,2,3,4,5,6}>
{ q = QuantizeLinear(x, s, z)
  d = DequantizeLinear(q, s, z)
  v = DequantizeLinear<axis = 1>(w, ws, wz)
  y = MatMul(d, v) })"},
    {"function",
     R"(<ir_version: 8, opset_import: ["" : 17, "own" : 1]> g (float[2] x) => (float[2] y)
{ a = own.twice(x) y = own.twice(a) }
<domain: "own", opset_import: ["" : 17]> twice (p) => (q) { q = Add(p, p) })"},
    {"branches",
     R"(<ir_version: 8, opset_import: ["" : 17]> g (float[2] x, bool c) => (float[2] y)
{ y = If<then_branch = t () => (float[2] a) { m = Exp(x) a = If<then_branch = i () => (float[2] p) { p = Abs(m) },
  else_branch = j () => (float[2] q) { q = Neg(x) }>(c) }, else_branch = e () => (float[2] b) { b = Neg(x) }>(c) })"},
    {"attention",
     R"(<ir_version: 8, opset_import: ["" : 17]> g (float[1,N,4] x) => (float[1,N,4] y)
<float[4,4] w = {1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1}, float[4] s = {1,1,1,1}>
{ n = LayerNormalization(x, s) q = MatMul(n, w) k = MatMul(n, w) v = MatMul(n, w)
  t = Transpose<perm = [0,2,1]>(k) a = MatMul(q, t) p = Softmax(a) o = MatMul(p, v) y = Add(o, x) })"},
};

/// A layer whose weights lie beside the model, in the file "weights".
inline onnx::ModelProto model_with_external_data() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  onnx::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(2), tensor.add_dims(2);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] :
       {std::pair("location", "weights"), std::pair("offset", "0"), std::pair("length", "16")}) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key), entry.set_value(value);
  }
  for (const char* name : {"x", "y"}) {
    auto& value = *(name[0] == 'x' ? graph.add_input() : graph.add_output());
    value.set_name(name);
    auto& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (int i = 0; i < 2; ++i) type.mutable_shape()->add_dim()->set_dim_value(2);
  }
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("MatMul");
  node.add_input("x"), node.add_input("w"), node.add_output("y");
  return model;
}

}  // namespace detent::fuzz
