#include "fuzz/node_from_bytes.h"

#include <bit>
#include <limits>
#include <map>

#include "core/files/content_hash.h"
#include "exec/one_node_models.h"
#include "exec/one_node_protos.h"
#include "ops/find_operator.h"
#include "ops/op_list.h"
#include "ops/signatures.h"

namespace detent::fuzz {

namespace {

using detent::test::kOneNodes;
using detent::test::OneNode;

uint16_t hash_of(const OneNode& node) {
  ContentHash hash;
  hash.add_text(node.node);
  hash.add_text(node.inputs);
  hash.add_text(node.constants);
  hash.add_number(static_cast<uint64_t>(node.opset));
  return static_cast<uint16_t>(hash.digest().first);
}

const std::map<uint16_t, size_t>& rows_by_hash() {
  static const auto rows = [] {
    std::map<uint16_t, size_t> found;
    for (size_t i = 0; i < std::size(kOneNodes); ++i) found.emplace(hash_of(kOneNodes[i]), i);
    return found;
  }();
  return rows;
}

const onnx::ModelProto& model_of_row(size_t index) {
  static std::map<size_t, std::unique_ptr<onnx::ModelProto>> models;
  auto& model = models[index];
  if (!model) model = detent::test::model_of(kOneNodes[index]);
  return *model;
}

int64_t integer(ByteReader& bytes) {
  const uint8_t kind = bytes.byte();
  if (kind < 96) return static_cast<int8_t>(bytes.byte());
  if (kind < 128) return bytes.take<int16_t>();
  if (kind < 160) return bytes.take<int64_t>();
  if (kind < 192) return int64_t{1} << bytes.below(63);
  if (kind < 224) return -(int64_t{1} << bytes.below(63));
  return kind < 240 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

float real(ByteReader& bytes) {
  constexpr float kSpecial[] = {0.0F,
                                -0.0F,
                                1.0F,
                                -1.0F,
                                0.5F,
                                1e30F,
                                -1e30F,
                                1e-30F,
                                std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()};
  const uint8_t kind = bytes.byte();
  return kind < 128 ? kSpecial[kind % std::size(kSpecial)] : bytes.take<float>();
}

/// Returns a few extents, most of them small; -1 stays open.
void set_dims(google::protobuf::RepeatedField<int64_t>& dims, ByteReader& bytes) {
  dims.Clear();
  for (size_t left = bytes.below(7); left > 0; --left) {
    const uint8_t kind = bytes.byte();
    dims.Add(kind < 224 ? kind % 9 : integer(bytes));
  }
}

void set_tensor(onnx::TensorProto& tensor, ByteReader& bytes) {
  const std::string name = tensor.name();
  tensor.Clear();
  tensor.set_name(name);
  tensor.set_data_type(bytes.byte() % 26);
  set_dims(*tensor.mutable_dims(), bytes);
  std::string raw;
  for (size_t left = bytes.byte(); left > 0; --left) raw += static_cast<char>(bytes.byte());
  tensor.set_raw_data(raw);
}

/// Returns other values of the same shape: floats and integers that fill the tensor's elements.
void refill(onnx::TensorProto& tensor, ByteReader& bytes) {
  const Tensor old = tensor_from_proto(tensor);
  Tensor fresh = old.clone();
  const auto count = static_cast<size_t>(fresh.element_count());
  for (size_t i = 0; i < count && i < 16; ++i) {
    if (fresh.type() == DataType::Int64) fresh.mutable_data<int64_t>()[i] = integer(bytes);
    if (fresh.type() == DataType::Int32) fresh.mutable_data<int32_t>()[i] = static_cast<int32_t>(integer(bytes));
    if (fresh.type() == DataType::Float32) fresh.mutable_data<float>()[i] = real(bytes);
  }
  tensor_to_proto(fresh, tensor);
}

void set_attribute(onnx::AttributeProto& attribute, ByteReader& bytes) {
  constexpr const char* kWords[] = {"",
                                    "SAME_UPPER",
                                    "SAME_LOWER",
                                    "VALID",
                                    "NOTSET",
                                    "linear",
                                    "nearest",
                                    "cubic",
                                    "bilinear",
                                    "reflect",
                                    "edge",
                                    "wrap",
                                    "bidirectional",
                                    "reverse",
                                    "sum",
                                    "none",
                                    "mul",
                                    "max",
                                    "ij,jk",
                                    "...i->i",
                                    "i...,i",
                                    "align_corners",
                                    "tf_crop_and_resize"};
  const size_t count = bytes.below(9);
  switch (bytes.below(8)) {
    case 0:
      attribute.set_type(onnx::AttributeProto::FLOAT);
      attribute.set_f(real(bytes));
      break;
    case 1:
      attribute.set_type(onnx::AttributeProto::STRING);
      attribute.set_s(kWords[bytes.below(std::size(kWords))]);
      break;
    case 2:
      attribute.set_type(onnx::AttributeProto::FLOATS);
      attribute.clear_floats();
      for (size_t i = 0; i < count; ++i) attribute.add_floats(real(bytes));
      break;
    case 3:
    case 4:
      attribute.set_type(onnx::AttributeProto::INTS);
      attribute.clear_ints();
      for (size_t i = 0; i < count; ++i) attribute.add_ints(integer(bytes));
      break;
    case 5:
      attribute.set_type(onnx::AttributeProto::TENSOR);
      set_tensor(*attribute.mutable_t(), bytes);
      break;
    default: attribute.set_type(onnx::AttributeProto::INT); attribute.set_i(integer(bytes));
  }
}

/// Changes one value of an existing list, or the whole attribute.
void change_attribute(onnx::AttributeProto& attribute, ByteReader& bytes) {
  if (attribute.ints_size() > 0 && bytes.byte() % 4 != 0)
    attribute.set_ints(static_cast<int>(bytes.below(static_cast<size_t>(attribute.ints_size()))), integer(bytes));
  else if (attribute.floats_size() > 0 && bytes.byte() % 4 != 0)
    attribute.set_floats(static_cast<int>(bytes.below(static_cast<size_t>(attribute.floats_size()))), real(bytes));
  else if (attribute.type() == onnx::AttributeProto::INT && bytes.byte() % 4 != 0)
    attribute.set_i(integer(bytes));
  else
    set_attribute(attribute, bytes);
}

/// Returns an attribute that the operator knows, whether the node has it or not.
void add_known_attribute(onnx::NodeProto& node, int64_t opset, ByteReader& bytes) {
  if (!find_operator(node.domain(), node.op_type(), opset)) return;
  const auto versions = signatures_of(node.op_type());
  const auto& rules = versions[bytes.below(versions.size())].attributes;
  if (rules.empty()) return;
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(std::string(rules[bytes.below(rules.size())].name));
  set_attribute(attribute, bytes);
}

template <class List>
auto& any_of(List& list, ByteReader& bytes) {
  return *list.Mutable(static_cast<int>(bytes.below(static_cast<size_t>(list.size()))));
}

void change_input_type(onnx::ValueInfoProto& input, ByteReader& bytes) {
  if (!input.type().has_tensor_type()) return;
  auto& type = *input.mutable_type()->mutable_tensor_type();
  if (bytes.byte() % 4 == 0) type.set_elem_type(1 + bytes.byte() % 16);
  google::protobuf::RepeatedField<int64_t> dims;
  set_dims(dims, bytes);
  type.mutable_shape()->Clear();
  for (const int64_t extent : dims) type.mutable_shape()->add_dim()->set_dim_value(extent);
}

void change(onnx::ModelProto& model, ByteReader& bytes) {
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::NodeProto& node = *graph.mutable_node(0);
  switch (bytes.below(12)) {
    case 0:
    case 1:
    case 2:
      if (node.attribute_size() > 0) change_attribute(any_of(*node.mutable_attribute(), bytes), bytes);
      break;
    case 3: add_known_attribute(node, model.opset_import(0).version(), bytes); break;
    case 4:
    case 5:
      if (graph.input_size() > 0) change_input_type(any_of(*graph.mutable_input(), bytes), bytes);
      break;
    case 6:
    case 7:
      if (graph.initializer_size() > 0) refill(any_of(*graph.mutable_initializer(), bytes), bytes);
      break;
    case 8:
      if (graph.initializer_size() > 0) set_tensor(any_of(*graph.mutable_initializer(), bytes), bytes);
      break;
    case 9: model.mutable_opset_import(0)->set_version(7 + bytes.byte() % 22); break;
    case 10:
      if (node.input_size() > 0) {
        std::string& slot = any_of(*node.mutable_input(), bytes);
        slot = bytes.byte() % 4 == 0 ? "" : any_of(*node.mutable_input(), bytes);
      }
      break;
    default: detent::test::feed_constants(model);
  }
}

}  // namespace

std::unique_ptr<onnx::ModelProto> node_from_bytes(ByteReader& bytes) {
  const auto& rows = rows_by_hash();
  auto row = rows.lower_bound(bytes.take<uint16_t>());
  if (row == rows.end()) row = rows.begin();
  auto model = std::make_unique<onnx::ModelProto>(model_of_row(row->second));
  for (size_t left = bytes.byte() % 8; left > 0 && !bytes.empty(); --left) change(*model, bytes);
  return model;
}

std::string bytes_of_row(size_t index) {
  const uint16_t hash = hash_of(kOneNodes[index]);
  return {static_cast<char>(hash & 0xFF), static_cast<char>(hash >> 8), '\0'};
}

}  // namespace detent::fuzz
