#include "model/fingerprint.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <utility>

#include "core/files/mapped_file.h"
#include "model/graph/stored_data.h"
#include "model/graph/tensor_proto.h"

namespace detent {

namespace {

/// Returns the messages of a list in the order of their names.
template <class Repeated>
auto by_name(const Repeated& list) {
  std::vector<const typename Repeated::value_type*> sorted;
  for (const auto& item : list) sorted.push_back(&item);
  std::ranges::stable_sort(sorted, {}, [](const auto* item) -> const std::string& { return item->name(); });
  return sorted;
}

class Hasher {
 public:
  void add(const onnx::ModelProto& model) {
    add_opsets(model.opset_import());
    add(model.graph());
    hash_.add_number(static_cast<uint64_t>(model.functions_size()));
    for (const onnx::FunctionProto* function : by_name(model.functions())) add(*function);
  }
  /// Adds what computes these values of the main graph.
  void add_part(const onnx::ModelProto& model, std::set<std::string> needed) {
    add_opsets(model.opset_import());
    for (const std::string& name : needed) hash_.add_text(name);
    const onnx::GraphProto& graph = model.graph();
    for (int i = graph.node_size() - 1; i >= 0; --i) {  // nodes stand in execution order
      const onnx::NodeProto& node = graph.node(i);
      if (std::ranges::none_of(node.output(), [&](const auto& name) { return needed.contains(name); })) continue;
      add(node);
      add_reads(node, needed);
    }
    for (const onnx::TensorProto* tensor : by_name(graph.initializer())) {
      if (!needed.contains(tensor->name())) continue;
      hash_.add_text(tensor->name());
      add(*tensor);
    }
    for (const onnx::FunctionProto* function : by_name(model.functions())) add(*function);
  }
  [[nodiscard]] Digest digest() const { return hash_.digest(); }

 private:
  /// Adds the names that a node reads; of one with graphs all that occur in them.
  static void add_reads(const onnx::NodeProto& node, std::set<std::string>& needed) {
    needed.insert(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      const auto add_graph = [&](const onnx::GraphProto& graph) {
        for (const onnx::NodeProto& inner : graph.node()) add_reads(inner, needed);
        for (const onnx::ValueInfoProto& output : graph.output()) needed.insert(output.name());
      };
      if (attribute.has_g()) add_graph(attribute.g());
      for (const onnx::GraphProto& graph : attribute.graphs()) add_graph(graph);
    }
  }

  template <class Repeated>
  void add_opsets(const Repeated& imports) {
    std::map<std::string, int64_t> opsets;
    for (const auto& set : imports) opsets[domain(set.domain())] = set.version();
    hash_.add_number(opsets.size());
    for (const auto& [name, version] : opsets) {
      hash_.add_text(name);
      add_int(version);
    }
  }

  void add(const onnx::FunctionProto& function) {
    hash_.add_text(function.name());
    hash_.add_text(domain(function.domain()));
    add_opsets(function.opset_import());
    for (const auto* names : {&function.input(), &function.output(), &function.attribute()}) add_texts(*names);
    add_list(function.node());
  }

  void add(const onnx::GraphProto& graph) {
    add_list(graph.input());
    add_list(graph.output());
    hash_.add_number(static_cast<uint64_t>(graph.initializer_size()));
    for (const onnx::TensorProto* tensor : by_name(graph.initializer())) {
      hash_.add_text(tensor->name());
      add(*tensor);
    }
    add_list(graph.sparse_initializer());
    add_list(graph.node());
  }

  void add(const onnx::ValueInfoProto& value) {
    hash_.add_text(value.name());
    const onnx::TypeProto& type = value.type();
    if (!type.has_tensor_type()) return hash_.add_text(type.SerializeAsString());
    add_int(type.tensor_type().elem_type());
    hash_.add_number(type.tensor_type().has_shape());
    add_list(type.tensor_type().shape().dim());
  }

  void add(const onnx::TensorShapeProto::Dimension& extent) {
    add_int(extent.has_dim_value() ? extent.dim_value() : -1);  // names of open extents do not count
  }

  void add(const onnx::NodeProto& node) {
    hash_.add_text(node.name());
    hash_.add_text(node.op_type());
    hash_.add_text(domain(node.domain()));
    add_texts(node.input());
    add_texts(node.output());
    hash_.add_number(static_cast<uint64_t>(node.attribute_size()));
    for (const onnx::AttributeProto* attribute : by_name(node.attribute())) add(*attribute);
  }

  void add(const onnx::AttributeProto& attribute) {
    hash_.add_text(attribute.name());
    hash_.add_text(attribute.ref_attr_name());
    add_float(attribute.f());
    add_int(attribute.i());
    hash_.add_text(attribute.s());
    hash_.add_number(static_cast<uint64_t>(attribute.floats_size()));
    for (const float number : attribute.floats()) add_float(number);
    hash_.add_number(static_cast<uint64_t>(attribute.ints_size()));
    for (const int64_t number : attribute.ints()) add_int(number);
    add_texts(attribute.strings());
    if (attribute.has_t()) add(attribute.t());
    if (attribute.has_g()) add(attribute.g());
    if (attribute.has_sparse_tensor()) add(attribute.sparse_tensor());
    if (attribute.has_tp()) hash_.add_text(attribute.tp().SerializeAsString());
    add_list(attribute.tensors());
    add_list(attribute.graphs());
  }

  void add(const onnx::SparseTensorProto& tensor) {
    hash_.add_text(tensor.values().name());
    add(tensor.values());
    add(tensor.indices());
    for (const int64_t extent : tensor.dims()) add_int(extent);
  }

  void add(const onnx::TensorProto& tensor) {
    add_int(tensor.data_type());
    hash_.add_number(static_cast<uint64_t>(tensor.dims_size()));
    for (const int64_t extent : tensor.dims()) add_int(extent);
    if (data_type_from_onnx(tensor.data_type()) == DataType::Undefined) return add_unreadable(tensor);
    const Tensor content = tensor_from_proto(tensor);
    hash_.add({static_cast<const std::byte*>(content.raw()), content.byte_count()});
    let_go_of_pages(content.raw(), content.byte_count());
  }

  /// Adds strings and types that Detent does not know: their fields as they are stored.
  void add_unreadable(const onnx::TensorProto& tensor) {
    add_texts(tensor.string_data());
    hash_.add_text(std::string(raw_bytes(tensor)));
    for (const int32_t number : tensor.int32_data()) add_int(number);
  }

  template <class Repeated>
  void add_list(const Repeated& list) {
    hash_.add_number(static_cast<uint64_t>(list.size()));
    for (const auto& item : list) add(item);
  }
  template <class Repeated>
  void add_texts(const Repeated& texts) {
    hash_.add_number(static_cast<uint64_t>(texts.size()));
    for (const std::string& text : texts) hash_.add_text(text);
  }
  void add_int(int64_t number) { hash_.add_number(static_cast<uint64_t>(number)); }
  void add_float(float number) { hash_.add(std::as_bytes(std::span(&number, 1))); }
  static std::string domain(const std::string& name) { return name == "ai.onnx" ? "" : name; }

  ContentHash hash_;
};

}  // namespace

Digest fingerprint(const Model& model) {
  Hasher hasher;
  hasher.add(model.proto());
  return hasher.digest();
}

Digest fingerprint_of(const Model& model, std::set<std::string> values) {
  Hasher hasher;
  hasher.add_part(model.proto(), std::move(values));
  return hasher.digest();
}

}  // namespace detent
