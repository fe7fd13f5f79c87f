#include "prepare/inline_functions.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/error.h"
#include "model/graph/node_names.h"
#include "ops/signatures.h"
#include "prepare/function_calls.h"
#include "prepare/opset_adapters.h"
#include "prepare/used_names.h"

namespace detent {

namespace {

constexpr int kFunctionDefaults = 11;  // FunctionProto.attribute_proto, a field newer than libonnx 1.12

/// True when the operator has other inputs, outputs or attributes from opset `version` on.
bool has_other_signature(std::string_view op_type, int version) {
  const Signature *before = find_signature(op_type, version - 1), *now = find_signature(op_type, version);
  return now && !now->same_form(*before);
}

/// True when a node of opset `written_for` means the same in a model of opset `imported`. From opset 18 on an older
/// node may stand in a newer model when raising it needs no adapter.
bool means_the_same(std::string_view op_type, int written_for, int imported) {
  for (int version = std::min(written_for, imported) + 1; version <= std::max(written_for, imported); ++version) {
    if (operator_changed_at(op_type, version) || find_opset_change(op_type, version).adapt) return false;
    const bool only_adapters_matter = written_for < imported && version <= kNewestRaisedOpset;
    if (version > kNewestListedOpset && !only_adapters_matter && has_other_signature(op_type, version)) return false;
  }
  return true;
}

/// A function body while it is copied into a graph: names mapped, attributes filled in.
class Call {
 public:
  Call(const onnx::FunctionProto& function, const onnx::NodeProto& node, std::string prefix)
      : function_(function), node_(node), prefix_(std::move(prefix)) {
    for (int i = 0; i < function.input_size(); ++i)
      renamed_[function.input(i)] = i < node.input_size() ? node.input(i) : std::string();
    for (int i = 0; i < function.output_size() && i < node.output_size(); ++i)
      if (!node.output(i).empty() && !renamed_.contains(function.output(i)))
        renamed_[function.output(i)] = node.output(i);
    for (const std::string& text : unknown_field(function, kFunctionDefaults)) {
      onnx::AttributeProto attribute;
      if (attribute.ParseFromString(text)) defaults_.push_back(std::move(attribute));
    }
  }

  void expand_into(Nodes& target) {
    for (const onnx::NodeProto& inner : function_.node()) {
      onnx::NodeProto& copy = *target.Add();
      copy = inner;
      adapt(copy);
    }
    copy_doubled_outputs(target);
  }

 private:
  std::string mapped(const std::string& name) const {
    if (name.empty()) return name;
    const auto known = renamed_.find(name);
    return known == renamed_.end() ? prefix_ + name : known->second;
  }

  /// Copies outputs that are inputs as well, or are asked for under two names.
  void copy_doubled_outputs(Nodes& target) {
    for (int i = 0; i < function_.output_size() && i < node_.output_size(); ++i)
      copy_output(node_, i, mapped(function_.output(i)), prefix_, target);
  }

  void adapt(onnx::NodeProto& node) {
    if (!node.name().empty()) node.set_name(prefix_ + node.name());
    for (std::string& name : *node.mutable_input()) name = mapped(name);
    for (std::string& name : *node.mutable_output()) name = mapped(name);
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> kept;
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (!attribute.ref_attr_name().empty()) {
        const onnx::AttributeProto* given = find_given(attribute.ref_attr_name());
        if (!given) continue;  // optional, left out by the caller
        const std::string name = attribute.name();
        attribute = *given;  // graphs in it belong to the caller and keep their names
        attribute.set_name(name);
      } else if (attribute.has_g()) {
        adapt(*attribute.mutable_g());
      }
      kept.Add()->Swap(&attribute);
    }
    node.mutable_attribute()->Swap(&kept);
  }

  void adapt(onnx::GraphProto& graph) {
    for (auto* list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
      for (onnx::ValueInfoProto& info : *list) info.set_name(mapped(info.name()));
    for (onnx::TensorProto& tensor : *graph.mutable_initializer()) tensor.set_name(mapped(tensor.name()));
    for (onnx::NodeProto& node : *graph.mutable_node()) adapt(node);
  }

  [[nodiscard]] const onnx::AttributeProto* find_given(const std::string& name) const {
    for (const auto& attribute : node_.attribute())
      if (attribute.name() == name) return &attribute;
    for (const auto& attribute : defaults_)
      if (attribute.name() == name) return &attribute;
    return nullptr;
  }

  const onnx::FunctionProto& function_;
  const onnx::NodeProto& node_;
  std::string prefix_;
  std::map<std::string, std::string> renamed_;
  std::vector<onnx::AttributeProto> defaults_;
};

class Inliner {
 public:
  explicit Inliner(onnx::ModelProto& model) : model_(model), names_(model.graph()) {
    for (const onnx::FunctionProto& function : model.functions()) functions_.emplace(key_of(function), &function);
    for (const auto& set : model.opset_import()) opsets_[canonical(set.domain())] = set.version();
  }

  size_t run() {
    inline_graph(*model_.mutable_graph());
    return count_;
  }

 private:
  void inline_graph(onnx::GraphProto& graph) {
    const std::vector<std::string> names = node_names(graph);
    Nodes expanded;
    for (int i = 0; i < graph.node_size(); ++i) add(*graph.mutable_node(i), names[static_cast<size_t>(i)], expanded);
    graph.mutable_node()->Swap(&expanded);
  }

  /// Appends the node, or its function's body, to `target`. check_calls() bounds the depth.
  void add(onnx::NodeProto& node, const std::string& name, Nodes& target) {
    const auto found = functions_.find(key_of(node));
    if (found == functions_.end()) {
      for (onnx::AttributeProto& attribute : *node.mutable_attribute())
        if (attribute.has_g()) inline_graph(*attribute.mutable_g());
      target.Add()->Swap(&node);
      return;
    }
    const FunctionKey& key = found->first;
    import_opsets(key, *found->second);
    Nodes body;
    Call(*found->second, node, names_.unused_prefix(name)).expand_into(body);
    for (const onnx::NodeProto& inner : body) names_.add(inner);
    ++count_;
    for (onnx::NodeProto& inner : body) {
      const std::string inner_name = inner.name().empty() ? name + "/" + inner.op_type() : inner.name();
      add(inner, inner_name, target);
    }
  }

  void import_opsets(const FunctionKey& key, const onnx::FunctionProto& function) {
    for (const onnx::OperatorSetIdProto& set : function.opset_import()) {
      const std::string domain = canonical(set.domain());
      const auto [known, added] = opsets_.emplace(domain, set.version());
      if (added)
        *model_.add_opset_import() = set;
      else if (domain.empty() && known->second != set.version())
        check_versions(key, function, static_cast<int>(set.version()), static_cast<int>(known->second));
    }
  }

  /// Refuses operators that differ between the two operator sets.
  static void check_versions(const FunctionKey& key, const onnx::FunctionProto& function, int written_for,
                             int imported) {
    visit_nodes(function.node(), [&](const onnx::NodeProto& node) {
      if (!canonical(node.domain()).empty()) return;
      if (means_the_same(node.op_type(), written_for, imported)) return;
      throw Error(ErrorCode::Unsupported,
                  describe(key) + " uses " + node.op_type() + " of opset " + std::to_string(written_for) +
                      ", which is another operator in the model's opset " + std::to_string(imported),
                  "export the model with one opset for all of its functions");
    });
  }

  onnx::ModelProto& model_;
  std::map<FunctionKey, const onnx::FunctionProto*> functions_;
  std::map<std::string, int64_t> opsets_;
  UsedNames names_;
  size_t count_ = 0;
};

}  // namespace

size_t inline_functions(Model& model) {
  if (model.proto().functions_size() == 0) return 0;
  check_calls(model.proto());
  const size_t count = Inliner(model.mutable_proto()).run();
  model.mutable_proto().clear_functions();
  return count;
}

}  // namespace detent
