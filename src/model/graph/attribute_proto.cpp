#include "model/graph/attribute_proto.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "model/graph/tensor_proto.h"

namespace detent {

namespace {

using P = onnx::AttributeProto;

/// Returns the type; the field was added in IR 2, in older files the field that is set tells. Source: onnx.proto,
/// AttributeProto.type.
int attribute_type(const P& proto) {
  if (proto.type() != P::UNDEFINED) return proto.type();
  if (proto.has_f()) return P::FLOAT;
  if (proto.has_i()) return P::INT;
  if (proto.has_s()) return P::STRING;
  if (proto.has_t()) return P::TENSOR;
  if (proto.has_g()) return P::GRAPH;
  if (proto.floats_size()) return P::FLOATS;
  if (proto.ints_size()) return P::INTS;
  if (proto.strings_size()) return P::STRINGS;
  return P::UNDEFINED;
}

/// A writer of values; std::visit picks the overload.
struct Writer {
  P& proto;

  void operator()(int64_t value) const {
    proto.set_type(P::INT);
    proto.set_i(value);
  }
  void operator()(float value) const {
    proto.set_type(P::FLOAT);
    proto.set_f(value);
  }
  void operator()(const std::string& value) const {
    proto.set_type(P::STRING);
    proto.set_s(value);
  }
  void operator()(const std::vector<int64_t>& values) const {
    proto.set_type(P::INTS);
    proto.mutable_ints()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<float>& values) const {
    proto.set_type(P::FLOATS);
    proto.mutable_floats()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<std::string>& values) const {
    proto.set_type(P::STRINGS);
    for (const std::string& value : values) proto.add_strings(value);
  }
  void operator()(const Tensor& value) const {
    proto.set_type(P::TENSOR);
    tensor_to_proto(value, *proto.mutable_t());
  }
  void operator()(const std::shared_ptr<const Graph>& value) const {
    throw Error(ErrorCode::Internal, value ? "a patch cannot set a graph attribute" : "a graph attribute is missing");
  }
};

}  // namespace

bool holds_graph(const P& proto) { return attribute_type(proto) == P::GRAPH; }

bool holds_rarity(const P& proto) {
  const int type = attribute_type(proto);
  return type != P::UNDEFINED && type > P::STRINGS;  // older types have smaller numbers
}

std::optional<AttributeValue> attribute_from_proto(const P& proto) {
  switch (attribute_type(proto)) {
    case P::FLOAT: return proto.f();
    case P::INT: return proto.i();
    case P::STRING: return proto.s();
    case P::FLOATS: return std::vector<float>(proto.floats().begin(), proto.floats().end());
    case P::INTS: return std::vector<int64_t>(proto.ints().begin(), proto.ints().end());
    case P::STRINGS: return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case P::TENSOR: return tensor_from_proto(proto.t());
    default: return std::nullopt;  // no operator that Detent runs has other types
  }
}

bool remove_attribute(onnx::NodeProto& node, const std::string& name) {
  auto& list = *node.mutable_attribute();
  const auto found = std::ranges::find(list, name, [](const P& attribute) { return attribute.name(); });
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

void set_attribute(onnx::NodeProto& node, const Attribute& attribute) {
  remove_attribute(node, attribute.name);
  P& proto = *node.add_attribute();
  proto.set_name(attribute.name);
  std::visit(Writer{proto}, attribute.value);
}

}  // namespace detent
