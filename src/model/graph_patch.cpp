#include "model/graph_patch.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "core/onnx_type.h"
#include "model/graph/attribute_proto.h"
#include "model/graph/graph_indexer.h"
#include "model/graph/node_names.h"
#include "model/graph/stored_data.h"
#include "model/graph/tensor_proto.h"
#include "model/held_files.h"

namespace detent {

namespace {

Error broken(const std::string& message) { return {ErrorCode::Internal, message}; }

/// A repeated field whose elements are moved by pointer. Unless keep() is called, every change is undone at the end of
/// the scope, without a copy of unchanged elements.
template <class T>
class Rearranged {
 public:
  explicit Rearranged(google::protobuf::RepeatedPtrField<T>& field)
      : elements(field.pointer_begin(), field.pointer_end()), field_(field), original_(elements) {}

  ~Rearranged() {
    show(kept_ ? elements : original_);
    const std::unordered_set<T*> alive(field_.pointer_begin(), field_.pointer_end());
    for (T* element : original_)
      if (!alive.contains(element)) delete element;
    for (T* element : created_)
      if (!alive.contains(element)) delete element;
  }
  Rearranged(const Rearranged&) = delete;
  Rearranged& operator=(const Rearranged&) = delete;

  /// Makes a new element, not yet in `elements`.
  T* create(const T& content) {
    auto element = std::make_unique<T>(content);
    created_.insert(element.get());
    return element.release();
  }
  /// Returns elements[i] as a copy: the original must stay unchanged until keep().
  T& writable(size_t i) {
    if (!created_.contains(elements[i])) elements[i] = create(*elements[i]);
    return *elements[i];
  }
  void show() { show(elements); }
  void keep() { kept_ = true; }

  std::vector<T*> elements;

 private:
  void show(const std::vector<T*>& list) {
    std::vector<T*> taken(static_cast<size_t>(field_.size()));
    field_.UnsafeArenaExtractSubrange(0, field_.size(), taken.data());
    for (T* element : list) field_.UnsafeArenaAddAllocated(element);
  }

  google::protobuf::RepeatedPtrField<T>& field_;
  std::vector<T*> original_;
  std::unordered_set<T*> created_;
  bool kept_ = false;
};

void add_read_values(const onnx::GraphProto& graph, std::unordered_set<std::string>& names) {
  for (const onnx::ValueInfoProto& output : graph.output()) names.insert(output.name());
  for (const onnx::NodeProto& node : graph.node()) {
    names.insert(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto& attribute : node.attribute())
      if (holds_graph(attribute)) add_read_values(attribute.g(), names);
  }
}

/// Returns the names that something in the graph reads, or in a graph inside it.
std::unordered_set<std::string> read_values(const onnx::GraphProto& graph) {
  std::unordered_set<std::string> names;
  add_read_values(graph, names);
  return names;
}

/// The operator sets that new nodes need and the model does not import. They are taken back unless they are kept.
class NewImports {
 public:
  explicit NewImports(onnx::ModelProto& proto) : proto_(proto), before_(proto.opset_import_size()) {}
  NewImports(const NewImports&) = delete;
  NewImports& operator=(const NewImports&) = delete;
  ~NewImports() {
    while (!kept_ && proto_.opset_import_size() > before_) proto_.mutable_opset_import()->RemoveLast();
  }

  void add(const std::string& domain) {
    const auto& sets = proto_.opset_import();
    if (std::ranges::any_of(sets, [&](const auto& set) { return set.domain() == domain; })) return;
    onnx::OperatorSetIdProto& added = *proto_.add_opset_import();
    added.set_domain(domain);
    added.set_version(1);
  }
  void keep() { kept_ = true; }

 private:
  onnx::ModelProto& proto_;
  int before_;
  bool kept_ = false;
};

using SharedFiles = std::vector<std::shared_ptr<const MappedFile>>;

class PatchApplication {
 public:
  PatchApplication(onnx::ModelProto& proto, const GraphPatch& patch)
      : proto_(proto), graph_(*proto.mutable_graph()), patch_(patch), read_before_(read_values(graph_)),
        names_(node_names(graph_)), imports_(proto), nodes_(*graph_.mutable_node()),
        initializers_(*graph_.mutable_initializer()) {
    for (size_t i = 0; i < names_.size(); ++i) positions_.emplace(names_[i], i);
  }

  /// Returns the files that new constants look into.
  [[nodiscard]] SharedFiles run() {
    for (const auto& [name, tensor] : patch_.replace_constants) replace_constant(name, tensor);
    edit_nodes();
    const std::unordered_set<std::string> removed(patch_.remove_nodes.begin(), patch_.remove_nodes.end());
    for (const std::string& name : removed) (void)position(name);
    drop_nodes([&](size_t i) { return removed.contains(names_[i]); });
    add_nodes();
    for (const auto& [name, tensor] : patch_.add_initializers) add_initializer(name, tensor);
    show();
    drop_unread();
    show();
    const std::unique_ptr<Graph> graph = index_graph(proto_);  // the check after: throws when anything is wrong
    order_nodes(*graph);
    commit(*graph);
    return std::move(shared_);
  }

 private:
  void show() {
    nodes_.show();
    initializers_.show();
  }

  [[nodiscard]] size_t position(const std::string& node) const {
    const auto found = positions_.find(node);
    if (found == positions_.end()) throw broken("there is no node '" + node + "'");
    return found->second;
  }

  void replace_constant(const std::string& name, const Tensor& tensor) {
    for (size_t i = 0; i < initializers_.elements.size(); ++i)
      if (initializers_.elements[i]->name() == name) return replace_initializer(i, tensor);
    for (size_t i = 0; i < nodes_.elements.size(); ++i) {
      const onnx::NodeProto& node = *nodes_.elements[i];
      if (node.op_type() != "Constant" || node.output_size() != 1 || node.output(0) != name) continue;
      onnx::NodeProto& constant = nodes_.writable(i);
      constant.clear_attribute();
      set_attribute(constant, {"value", tensor});
      return;
    }
    throw broken("there is no constant '" + name + "'");
  }

  void replace_initializer(size_t i, const Tensor& tensor) {
    onnx::TensorProto header;
    header.set_name(initializers_.elements[i]->name());
    onnx::TensorProto* replacement = initializers_.create(header);
    share(tensor, *replacement);
    initializers_.elements[i] = replacement;
  }

  void edit_nodes() {
    for (const auto& [node, slot, value] : patch_.rewire) {
      onnx::NodeProto& proto = nodes_.writable(position(node));
      while (proto.input_size() <= slot) proto.add_input();
      proto.set_input(slot, value);
      while (proto.input_size() > 0 && proto.input(proto.input_size() - 1).empty()) proto.mutable_input()->RemoveLast();
    }
    for (const auto& [node, slot, value] : patch_.rename_outputs) {
      onnx::NodeProto& proto = nodes_.writable(position(node));
      if (slot < 0 || slot >= proto.output_size())
        throw broken("node '" + node + "' has no output " + std::to_string(slot));
      proto.set_output(slot, value);
    }
    for (const auto& [node, attribute] : patch_.set_attributes)
      set_attribute(nodes_.writable(position(node)), attribute);
    for (const auto& [node, attribute] : patch_.remove_attributes)
      if (!remove_attribute(nodes_.writable(position(node)), attribute))
        throw broken("node '" + node + "' has no attribute '" + attribute + "'");
  }

  /// Keeps elements and names_ in step.
  void drop_nodes(const auto& is_dropped) {
    size_t kept = 0;
    for (size_t i = 0; i < nodes_.elements.size(); ++i) {
      if (is_dropped(i)) continue;
      nodes_.elements[kept] = nodes_.elements[i];
      names_[kept++] = names_[i];
    }
    nodes_.elements.resize(kept);
    names_.resize(kept);
  }

  void add_nodes() {
    std::unordered_set<std::string> taken(names_.begin(), names_.end());
    for (const NodeSpec& spec : patch_.add_nodes) {
      if (!spec.name.empty() && !taken.insert(spec.name).second)
        throw broken("there is a node '" + spec.name + "' already");
      onnx::NodeProto node;
      node.set_op_type(spec.op_type);
      if (!spec.domain.empty()) {
        node.set_domain(spec.domain);
        imports_.add(spec.domain);
      }
      for (const std::string& input : spec.inputs) node.add_input(input);
      for (const std::string& output : spec.outputs) node.add_output(output);
      for (const Attribute& attribute : spec.attributes) set_attribute(node, attribute);
      std::string name = spec.name;
      for (int i = 0; name.empty(); ++i)
        if (std::string wish = spec.op_type + "_" + std::to_string(i); taken.insert(wish).second) name = wish;
      nodes_.elements.push_back(nodes_.create(node));
      names_.push_back(name);
    }
  }

  void add_initializer(const std::string& name, const Tensor& tensor) {
    onnx::TensorProto header;
    header.set_name(name);
    initializers_.elements.push_back(initializers_.create(header));
    share(tensor, *initializers_.elements.back());
  }

  void share(const Tensor& tensor, onnx::TensorProto& proto) {
    if (auto file = share_tensor(tensor, proto)) shared_.push_back(std::move(file));
  }

  /// Removes constants that this patch left without a reader; constants that had none stay.
  void drop_unread() {
    const std::unordered_set<std::string> read_now = read_values(graph_);
    for (const auto& [name, tensor] : patch_.add_initializers) read_before_.insert(name);
    const auto is_orphan = [&](const std::string& value) {
      return read_before_.contains(value) && !read_now.contains(value);
    };
    std::erase_if(initializers_.elements, [&](const onnx::TensorProto* tensor) {
      if (!is_orphan(tensor->name())) return false;
      orphans_.insert(tensor->name());
      return true;
    });
    drop_nodes([&](size_t i) {
      const onnx::NodeProto& node = *nodes_.elements[i];
      return node.op_type() == "Constant" && node.output_size() == 1 && is_orphan(node.output(0));
    });
  }

  /// Orders the nodes: kept ones stay in the file's order; a new node stands right before the first node that needs it,
  /// or at the end.
  void order_nodes(const Graph& graph) {
    const size_t count = nodes_.elements.size();
    std::vector<std::vector<size_t>> needs(count);
    std::unordered_map<std::string, size_t> place;
    const std::vector<std::string> index_names = node_names(graph_);
    for (size_t i = 0; i < count; ++i) place.emplace(index_names[i], i);
    const auto place_of = [&](NodeId id) { return place.at(graph.node(id).name); };
    for (const Value& value : graph.values())
      if (value.producer)
        for (const Use& use : value.uses) needs[place_of(use.node)].push_back(place_of(*value.producer));
    std::vector<size_t> order;
    std::vector<bool> done(count, false);
    std::vector<size_t> stack;
    for (size_t i = 0; i < count; ++i) {
      stack.push_back(i);
      while (!stack.empty()) {  // the nodes that a node needs come first; the graph has no cycle
        const size_t top = stack.back();
        const auto missing = std::ranges::find_if(needs[top], [&](size_t source) { return !done[source]; });
        if (!done[top] && missing != needs[top].end()) {
          stack.push_back(*missing);
          continue;
        }
        if (!done[top]) order.push_back(top);
        done[top] = true;
        stack.pop_back();
      }
    }
    reorder(order);
  }

  void reorder(const std::vector<size_t>& order) {
    std::vector<onnx::NodeProto*> elements;
    std::vector<std::string> names;
    for (const size_t i : order) {
      elements.push_back(nodes_.elements[i]);
      names.push_back(names_[i]);
    }
    nodes_.elements = std::move(elements);
    names_ = std::move(names);
  }

  /// Makes the changes; nothing from here on can fail. Unnamed nodes get the name that Detent uses for them, so that it
  /// does not change with their position.
  void commit(const Graph& graph) {
    for (size_t i = 0; i < names_.size(); ++i) nodes_.elements[i]->set_name(names_[i]);
    nodes_.keep();
    initializers_.keep();
    imports_.keep();
    const auto is_gone = [&](const std::string& name) { return !graph.find_value(name); };
    erase(*graph_.mutable_value_info(), [&](const onnx::ValueInfoProto& info) { return is_gone(info.name()); });
    erase(*graph_.mutable_quantization_annotation(),
          [&](const onnx::TensorAnnotation& annotation) { return is_gone(annotation.tensor_name()); });
    // An initializer may be listed as an input too; left there it would become an input that the user must feed.
    erase(*graph_.mutable_input(), [&](const onnx::ValueInfoProto& input) { return orphans_.contains(input.name()); });
    const std::unordered_map<std::string, DataType> types(patch_.set_types.begin(), patch_.set_types.end());
    for (auto* list : {graph_.mutable_value_info(), graph_.mutable_input(), graph_.mutable_output()})
      for (onnx::ValueInfoProto& info : *list)
        if (const auto type = types.find(info.name()); type != types.end())
          info.mutable_type()->mutable_tensor_type()->set_elem_type(onnx_type_of(type->second));
    if (patch_.opset) set_opset(*patch_.opset);
    constexpr int64_t kInitializersNeedNoInput = 4;  // source: ONNX IR.md, GraphProto.initializer
    if (!patch_.add_initializers.empty()) raise_ir(kInitializersNeedNoInput);
    if (patch_.newest_ir) proto_.set_ir_version(std::min(proto_.ir_version(), *patch_.newest_ir));
  }

  static void erase(auto& field, const auto& is_erased) {
    field.erase(std::remove_if(field.begin(), field.end(), is_erased), field.end());
  }

  void set_opset(int64_t version) {
    for (onnx::OperatorSetIdProto& set : *proto_.mutable_opset_import())
      if (set.domain().empty() || set.domain() == "ai.onnx") set.set_version(version);
    raise_ir(ir_of_opset(version));
  }

  void raise_ir(int64_t version) { proto_.set_ir_version(std::max(proto_.ir_version(), version)); }

  onnx::ModelProto& proto_;
  onnx::GraphProto& graph_;
  const GraphPatch& patch_;
  std::unordered_set<std::string> read_before_, orphans_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, size_t> positions_;
  SharedFiles shared_;
  NewImports imports_;
  Rearranged<onnx::NodeProto> nodes_;
  Rearranged<onnx::TensorProto> initializers_;
};

}  // namespace

namespace {

/// Makes the model hold the files that its initializers look into, and no others.
void hold_files(Model& model) {
  std::vector<std::shared_ptr<const MappedFile>> files = held_files(model.proto());
  if (files.empty()) return;
  auto proto = std::make_unique<onnx::ModelProto>();
  proto->Swap(&model.mutable_proto());
  model = Model(std::move(proto), model.path(), std::move(files));
}

}  // namespace

bool GraphPatch::empty() const {
  return add_nodes.empty() && add_initializers.empty() && remove_nodes.empty() && rewire.empty() &&
         rename_outputs.empty() && replace_constants.empty() && set_attributes.empty() && remove_attributes.empty() &&
         set_types.empty() && !opset && !newest_ir;
}

int64_t ir_of_opset(int64_t opset) {
  constexpr std::array<std::pair<int64_t, int64_t>, 10> kFirstOpsets{
      {{7, 3}, {9, 4}, {10, 5}, {11, 6}, {12, 7}, {15, 8}, {19, 9}, {21, 10}, {23, 11}, {24, 12}}};
  int64_t newest = 0;
  for (const auto& [first, ir] : kFirstOpsets)
    if (opset >= first) newest = ir;
  return newest;
}

GraphPatch joined(const GraphPatch& constants, const GraphPatch& others) {
  GraphPatch both = constants;
  if (both.reason.empty()) both.reason = others.reason;
  both.replace_constants.insert(both.replace_constants.end(), others.replace_constants.begin(),
                                others.replace_constants.end());
  return both;
}

void apply_patch(Model& model, const GraphPatch& patch) {
  if (patch.empty()) return;
  try {
    const SharedFiles shared = PatchApplication(model.mutable_proto(), patch).run();
    hold_files(model);
  } catch (const Error& error) {
    throw Error(ErrorCode::Internal,
                "cannot " + (patch.reason.empty() ? "change the graph" : patch.reason) + ": " + error.what());
  }
}

void check_graph(const Model& model) { (void)index_graph(model.proto()); }

}  // namespace detent
