#include "model/graph/graph_indexer.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/shown_text.h"
#include "model/graph/attribute_proto.h"
#include "model/graph/constant_content.h"
#include "model/graph/declared_type.h"
#include "model/graph/execution_order.h"
#include "model/graph/node_names.h"
#include "model/graph/tensor_proto.h"

namespace detent {

namespace {

/// Refuses a line feed in a name, which would forge lines of reports and entries of calibration caches. ONNX asks for C
/// identifiers; exporters also write slashes, dots and colons.
/// Source  ONNX docs/IR.md, "Names Within a Graph".
void refuse_line_feed(const std::string& kind, const std::string& name) {
  if (name.find('\n') != std::string::npos)
    throw Error(ErrorCode::InvalidModel,
                kind + " '" + shown_text(name, Lines::Escape) + "': the name holds a line feed");
}

/// True for the two operators that com.microsoft has under ONNX's names and with ONNX's meaning, for types that ONNX's
/// own got later. Source: onnxruntime, docs/ContribOperators.md.
bool is_microsoft_pair(const Node& node) {
  return node.domain == kMicrosoftDomain && (node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear");
}

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? std::string() : domain; }

}  // namespace

/// A builder of one Graph; for a subgraph it knows the indexer of the graph around it.
class GraphIndexer {
 public:
  using Opsets = std::map<std::string, int64_t, std::less<>>;

  GraphIndexer(const onnx::GraphProto& proto, const Opsets& opsets, GraphIndexer* outer)
      : proto_(proto), outer_(outer), graph_(std::make_unique<Graph>()) {
    graph_->opsets_ = opsets;
  }

  std::unique_ptr<Graph> run() {
    names_ = node_names(proto_);
    const auto nodes = static_cast<size_t>(proto_.node_size()),
               values = nodes + static_cast<size_t>(proto_.initializer_size() + proto_.input_size());  // or some more
    graph_->values_.reserve(values), graph_->value_ids_.reserve(values), graph_->node_ids_.reserve(nodes);
    add_initializers();
    add_inputs();
    add_node_outputs();
    add_declared_types();
    drafts_.resize(static_cast<size_t>(proto_.node_size()));
    for (int i = 0; i < proto_.node_size(); ++i) add_node(i);
    place_nodes(execution_order(sources(), [this](int position) { return describe(position); }));
    add_outputs();
    return std::move(graph_);
  }

 private:
  /// A node before it has its place, with the values that its subgraphs read.
  struct Draft {
    Node node;
    std::vector<ValueId> captured;
  };

  Value& value(ValueId id) { return graph_->values_[index_of(id)]; }

  ValueId add_value(const std::string& name) {
    refuse_line_feed("value", name);
    const auto id = ValueId(graph_->values_.size());
    if (!graph_->value_ids_.emplace(name, id).second)
      throw Error(ErrorCode::InvalidModel, "value '" + name + "' is defined twice");
    Value& added = graph_->values_.emplace_back();
    added.id = id;
    added.name = name;
    return id;
  }

  void set_constant(ValueId id, Tensor tensor) {
    Value& constant = value(id);
    constant.is_constant = true;
    constant.declared_type = tensor.type();
    constant.declared_shape.emplace(tensor.shape().begin(), tensor.shape().end());
    graph_->constants_.emplace(id, std::move(tensor));
  }

  void set_unreadable(ValueId id, const std::string& why) {
    value(id).is_constant = true;
    graph_->unreadable_.emplace(id, why);
  }

  void add_initializers() {
    for (const onnx::TensorProto& tensor : proto_.initializer()) {
      const ValueId id = add_value(tensor.name());
      try {
        set_constant(id, tensor_from_proto(tensor));
      } catch (const Error& error) {
        if (error.code() != ErrorCode::Unsupported) throw error.in("initializer '" + tensor.name() + "'");
        set_unreadable(id, error.what());
      }
    }
    for (const onnx::SparseTensorProto& tensor : proto_.sparse_initializer())
      set_unreadable(add_value(tensor.values().name()), "sparse tensors are not supported");
  }

  void add_inputs() {
    for (const onnx::ValueInfoProto& input : proto_.input()) {
      const MaybeValue known = graph_->find_value(input.name());
      if (known && value(*known).is_constant) continue;  // a default value, as in IR 3
      const ValueId id = add_value(input.name());
      value(id).is_input = true;
      graph_->inputs_.push_back(id);
    }
  }

  void add_node_outputs() {
    for (int i = 0; i < proto_.node_size(); ++i)
      for (const std::string& output : proto_.node(i).output())
        if (!output.empty()) {
          if (graph_->find_value(output)) throw defined_twice(output, i);
          const ValueId id = add_value(output);
          producer_of_.resize(graph_->values_.size(), -1);
          producer_of_[id] = i;
        }
    producer_of_.resize(graph_->values_.size(), -1);
  }

  [[nodiscard]] Error defined_twice(const std::string& output, int node) const {
    return {ErrorCode::InvalidModel, describe(node) + ": output '" + output +
                                         "' is already defined by another node, an input or an initializer"};
  }

  [[nodiscard]] std::string describe(int node) const {
    return "node '" + names_[static_cast<size_t>(node)] + "' (" + proto_.node(node).op_type() + ")";
  }

  void add_declared_types() {
    for (const auto* list : {&proto_.input(), &proto_.value_info(), &proto_.output()})
      for (const onnx::ValueInfoProto& info : *list) {
        const MaybeValue found = graph_->find_value(info.name());
        if (!found || value(*found).is_constant) continue;
        Value& declared = value(*found);
        declare(declared, info.type());
        for (const std::string& symbol : declared.symbols) refuse_line_feed("size", symbol);
      }
  }

  /// Returns the value of that name as seen from inside this graph; values of outer graphs become captured ones.
  MaybeValue resolve(const std::string& name) {
    if (const MaybeValue id = graph_->find_value(name)) return id;
    if (!outer_) return kNoValue;
    const MaybeValue found = outer_->resolve(name);
    if (!found) return kNoValue;
    const ValueId outside = *found;
    const ValueId id = add_value(name);
    producer_of_.resize(graph_->values_.size(), -1);
    graph_->captured_.push_back(id);
    const Value& source = outer_->value(outside);
    value(id).is_optional = source.is_optional;
    value(id).declared_type = source.declared_type;
    value(id).declared_shape = source.declared_shape;
    value(id).is_constant = source.is_constant;
    if (const auto tensor = outer_->graph_->constants_.find(outside); tensor != outer_->graph_->constants_.end())
      graph_->constants_.emplace(id, tensor->second);
    if (const auto why = outer_->graph_->unreadable_.find(outside); why != outer_->graph_->unreadable_.end())
      graph_->unreadable_.emplace(id, why->second);
    return id;
  }

  void add_node(int position) {
    const onnx::NodeProto& proto = proto_.node(position);
    Draft& draft = drafts_[static_cast<size_t>(position)];
    Node& node = draft.node;
    node.name = names_[static_cast<size_t>(position)];
    node.op_type = proto.op_type();
    node.domain = domain_of(proto.domain());
    if (node.op_type.empty()) throw Error(ErrorCode::InvalidModel, describe(position) + ": names no operator");
    refuse_line_feed("operator", node.op_type);  // first: unnamed nodes are named after it
    refuse_line_feed("node", node.name);
    if (graph_->opset(node.domain) == 0)
      throw Error(ErrorCode::InvalidModel, describe(position) + ": the model does not import operator set '" +
                                               (node.domain.empty() ? "ai.onnx" : node.domain) + "'");
    node.of_microsoft = is_microsoft_pair(node);
    if (node.of_microsoft) node.domain.clear();
    for (const std::string& input : proto.input()) {
      node.inputs.push_back(input.empty() ? kNoValue : resolve(input));
      if (!input.empty() && !node.inputs.back())
        throw Error(ErrorCode::InvalidModel, describe(position) + " reads '" + input + "', which nothing defines");
    }
    for (const std::string& output : proto.output())
      node.outputs.push_back(output.empty() ? kNoValue : graph_->find_value(output));
    try {
      for (const onnx::AttributeProto& attribute : proto.attribute()) add_attribute(draft, attribute);
    } catch (const Error& error) {
      throw error.in(describe(position));
    }
    if (node.op_type == "Constant" && node.domain.empty()) index_constant(node);
  }

  void add_attribute(Draft& draft, const onnx::AttributeProto& proto) {
    const auto add = [&](AttributeValue content) {
      draft.node.attributes.push_back({proto.name(), std::move(content)});
    };
    const bool takes_rarities =
        !draft.node.domain.empty() || draft.node.op_type == "Constant" || draft.node.op_type == "Optional";
    if (holds_rarity(proto) && !takes_rarities)
      throw Error(ErrorCode::InvalidModel, "attribute '" + proto.name() +
                                               "' holds a type, a sparse tensor or a list of graphs or tensors, which "
                                               "this operator does not take");
    if (holds_graph(proto)) return add(index_subgraph(draft, proto.g()));
    try {
      if (auto content = attribute_from_proto(proto)) add(std::move(*content));
    } catch (const Error& error) {
      // The value of a Constant can be reported later, where it is read; elsewhere a lost attribute changes the
      // meaning.
      if (error.code() != ErrorCode::Unsupported || draft.node.op_type != "Constant")
        throw error.in("attribute '" + proto.name() + "'");
      if (const MaybeValue output = draft.node.output(0)) set_unreadable(*output, error.what());
    }
  }

  std::shared_ptr<const Graph> index_subgraph(Draft& draft, const onnx::GraphProto& proto) {
    std::shared_ptr<const Graph> subgraph = GraphIndexer(proto, graph_->opsets_, this).run();
    for (const ValueId inner : subgraph->captured()) {
      const ValueId id = *resolve(subgraph->value(inner).name);
      if (std::ranges::find(draft.captured, id) == draft.captured.end()) draft.captured.push_back(id);
    }
    keep_names(*subgraph);
    return subgraph;
  }

  void keep_names(const Graph& inner) {
    std::unordered_set<std::string>& names = graph_->names_inside_;
    names.insert(inner.names_inside_.begin(), inner.names_inside_.end());
    for (const Value& one : inner.values())
      if (one.producer || one.is_input || one.is_constant) names.insert(one.name);
    for (const Node& node : inner.nodes()) names.insert(node.name);
  }

  void index_constant(const Node& node) {
    const MaybeValue id = node.output(0);
    if (!id || value(*id).is_constant) return;
    if (std::optional<Tensor> content = constant_content(node))
      set_constant(*id, std::move(*content));
    else
      set_unreadable(*id, "sparse and string constants are not supported");
  }

  /// Returns by node the positions of the nodes that it waits for.
  [[nodiscard]] std::vector<std::vector<int>> sources() const {
    std::vector<std::vector<int>> found(drafts_.size());
    for (size_t i = 0; i < drafts_.size(); ++i) {
      const auto add = [&](ValueId id) {
        if (producer_of_[id] >= 0) found[i].push_back(producer_of_[id]);
      };
      for (const ValueId id : present(drafts_[i].node.inputs)) add(id);
      for (const ValueId id : drafts_[i].captured) add(id);
    }
    return found;
  }

  void place_nodes(const std::vector<int>& order) {
    graph_->nodes_.reserve(order.size());
    for (const int position : order) {
      Draft& draft = drafts_[static_cast<size_t>(position)];
      const auto id = NodeId(graph_->nodes_.size());
      draft.node.id = id;
      for (size_t slot = 0; slot < draft.node.inputs.size(); ++slot)
        if (const MaybeValue input = draft.node.inputs[slot])
          value(*input).uses.push_back({id, static_cast<int>(slot)});
      for (const ValueId captured : draft.captured) value(captured).uses.push_back({id, -1});
      for (const ValueId output : present(draft.node.outputs)) value(output).producer = id;
      graph_->node_ids_.emplace(draft.node.name, id);
      graph_->nodes_.push_back(std::move(draft.node));
    }
  }

  void add_outputs() {
    for (const onnx::ValueInfoProto& output : proto_.output()) {
      const MaybeValue id = resolve(output.name());
      if (!id) throw Error(ErrorCode::InvalidModel, "graph output '" + output.name() + "' is not produced by any node");
      value(*id).is_output = true;
      graph_->outputs_.push_back(*id);
    }
  }

  const onnx::GraphProto& proto_;
  GraphIndexer* outer_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::string> names_;
  std::vector<Draft> drafts_;
  ValueMap<int> producer_of_;  // position of the node that writes it, -1 for none
};

std::unique_ptr<Graph> index_graph(const onnx::ModelProto& model) {
  GraphIndexer::Opsets opsets;
  for (const onnx::OperatorSetIdProto& set : model.opset_import()) {
    refuse_line_feed("operator set", set.domain());
    opsets[domain_of(set.domain())] = set.version();
  }
  for (const onnx::FunctionProto& function : model.functions()) opsets.try_emplace(function.domain(), 1);
  return GraphIndexer(model.graph(), opsets, nullptr).run();
}

}  // namespace detent
