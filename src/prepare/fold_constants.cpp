#include "prepare/fold_constants.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <vector>

#include "core/files/mapped_file.h"
#include "core/float_type.h"
#include "core/same_tensor.h"
#include "exec/node_errors.h"
#include "model/graph_patch.h"
#include "ops/find_operator.h"
#include "ops/traits.h"
#include "prepare/is_random.h"

namespace detent {

namespace {

constexpr size_t kSmall = 64 << 10;    // bytes of a result that is folded whatever reads it
constexpr size_t kLargestElement = 8;  // bytes
constexpr size_t kMostNodesOfWeight = 1000;

/// Refuses results beyond its limit, so that no Tile or Expand of constants fills the memory.
class LimitedHeap : public Allocator {
 public:
  explicit LimitedHeap(size_t limit) : limit_(limit) {}
  BufferRef allocate(size_t bytes) override {
    if (bytes > limit_) throw Error(ErrorCode::Unsupported, "the result is large");
    return heap().allocate(bytes);
  }

 protected:
  void take_back(Buffer* buffer) override { destroy(buffer); }  // never called: the heap owns all buffers

 private:
  size_t limit_;
};

/// Returns a constant that a Tensor can hold; nullptr for all other values.
const Tensor* readable(const Graph& graph, MaybeValue value) {
  try {
    return graph.constant(value);
  } catch (const Error&) {
    return nullptr;
  }
}

bool reads_any(const Node& node) {
  return std::ranges::any_of(node.inputs, [](MaybeValue value) { return bool(value); });
}

bool holds_graph(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
  });
}

/// Computes nodes that read constants and builds the patch that replaces them.
class ConstantFolder {
 public:
  /// codes  true: QuantizeLinear is computed as well
  explicit ConstantFolder(const Graph& graph, bool codes)
      : graph_(graph), codes_(codes), computed_(graph.nodes().size(), false), limits_(graph.nodes().size(), kSmall),
        results_(graph.values().size()) {}

  GraphPatch run() {
    find_computed();
    for (const Node& node : graph_.nodes()) find_weights(node);
    for (const Node& node : graph_.nodes())
      if (is_computed(node)) compute(node);
    return patch();
  }

 private:
  [[nodiscard]] bool is_computed(const Node& node) const { return computed_[node.id]; }
  [[nodiscard]] const Node* computer(MaybeValue value) const {
    const Node* node = graph_.producer(value);
    return node && is_computed(*node) ? node : nullptr;
  }
  Tensor& result(ValueId value) { return results_[value]; }

  [[nodiscard]] bool may_fold(const Node& node) const {
    const OpKind kind = traits_of(graph_, node).kind;
    if (!node.domain.empty() || is_random(node) || holds_graph(node) || kind == OpKind::Sequence ||
        (kind == OpKind::QuantizeLinear && !codes_) || kind == OpKind::DequantizeLinear || kind == OpKind::QOperator)
      return false;
    return find_unsupported(graph_, std::span(&node.id, 1)).empty();
  }

  void find_computed() {
    const auto is_known = [&](ValueId value) { return readable(graph_, value) || computer(value); };
    for (const Node& node : graph_.nodes()) {
      computed_[node.id] = reads_any(node) && std::ranges::all_of(present(node.inputs), is_known) && may_fold(node);
    }
  }

  /// Finds computed weights and biases of a weighted operator: a constant in either slot of a MatMul is a weight.
  void find_weights(const Node& node) {
    const OpTraits& traits = traits_of(graph_, node);
    const bool pair = traits.kind == OpKind::QuantizeLinear || traits.kind == OpKind::DequantizeLinear;
    for (const int slot : {0, 1})  // a weight, and a scale of it: ReduceMax(Abs(W)) / 127
      if (pair && computer(node.input(slot))) find_sources(*node.input(slot));
    if (traits.weight_slot < 0 || is_computed(node)) return;
    for (const int slot :
         {traits.kind == OpKind::MatMul ? 0 : traits.weight_slot, traits.weight_slot, traits.bias_slot})
      if (slot >= 0 && computer(node.input(slot))) find_sources(*node.input(slot));
  }

  /// Counts the elements that a weight is computed from, and allows the nodes that compute it results of that size.
  void find_sources(ValueId weight) {
    if (sources_.contains(weight)) return;
    int64_t elements = 0;
    std::set<ValueId> seen{weight};
    std::vector<ValueId> open{weight};
    std::vector<NodeId> nodes;
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      const Node* node = computer(value);
      if (!node) {
        elements += readable(graph_, value)->element_count();
        continue;
      }
      nodes.push_back(node->id);
      if (nodes.size() > kMostNodesOfWeight) return;
      for (const ValueId input : present(node->inputs))
        if (seen.insert(input).second) open.push_back(input);
    }
    sources_.emplace(weight, elements);
    for (const NodeId node : nodes) {
      size_t& limit = limits_[node];
      limit = std::max(limit, static_cast<size_t>(elements) * kLargestElement);
    }
  }

  /// Computes a node's results. If that fails or they are too large, the node and the nodes that read it stay.
  void compute(const Node& node) {
    std::vector<Tensor> inputs;
    for (const MaybeValue value : node.inputs) {
      const Tensor* constant = readable(graph_, value);
      inputs.push_back(!value ? Tensor() : constant ? *constant : result(*value));
      if (value && inputs.back().empty_handle()) return forget(node);
    }
    try {
      LimitedHeap heap(limits_[node.id]);
      Workspace workspace;
      std::vector<Tensor> outputs(node.outputs.size());
      with_node_in_errors(graph_, node, [&] {
        const int64_t opset = graph_.opset(node.domain);
        const auto kernel = find_operator(node.domain, node.op_type, opset)
                                ->make({.graph = graph_, .node = node, .opset = opset, .folded = &results_});
        KernelCall call(inputs, outputs, {}, heap, workspace);
        kernel->run(call);
      });
      for (size_t i = 0; i < outputs.size(); ++i)
        if (node.outputs[i]) result(*node.outputs[i]) = shared_by_models(to_plain(outputs[i]));
      // Weights in a file are read again when needed.
      for (const Tensor& input : inputs)
        if (!input.empty_handle()) let_go_of_pages(input.raw(), input.byte_count());
    } catch (const Error&) {
      forget(node);
    }
  }

  void forget(const Node& node) { computed_[node.id] = false; }

  /// True when the result replaces the node that computes it.
  [[nodiscard]] bool is_kept(ValueId value) {
    const Tensor& tensor = result(value);
    if (tensor.empty_handle() || graph_.value(value).is_output) return false;
    if (tensor.byte_count() <= kSmall) return true;
    const auto sources = sources_.find(value);
    return sources != sources_.end() && tensor.element_count() <= sources->second;
  }

  /// True when nothing reads the node's outputs in the original file.
  [[nodiscard]] bool is_dead_end(const Node& node) const {
    return std::ranges::all_of(present(node.outputs), [&](ValueId value) {
      return graph_.value(value).uses.empty() && !graph_.value(value).is_output;
    });
  }

  /// True when no remaining node reads the value and it is not a graph output.
  [[nodiscard]] bool is_unread(ValueId value, const NodeMap<bool>& removed) const {
    return !graph_.value(value).is_output &&
           std::ranges::all_of(graph_.value(value).uses, [&](const Use& use) { return removed[use.node]; });
  }

  GraphPatch patch() {
    GraphPatch patch;
    patch.reason = "fold constants";
    NodeMap<bool> removed(graph_.nodes().size(), false);
    std::vector<ValueId> kept;
    for (const Node& node : graph_.nodes() | std::views::reverse) {  // readers before the producer
      if (!is_computed(node) || is_dead_end(node)) continue;
      std::vector<ValueId> read;
      for (const ValueId output : present(node.outputs))
        if (!is_unread(output, removed)) read.push_back(output);
      if (!std::ranges::all_of(read, [&](ValueId value) { return is_kept(value); })) continue;
      removed[node.id] = true;
      patch.remove_nodes.push_back(node.name);
      kept.insert(kept.end(), read.begin(), read.end());
    }
    std::ranges::sort(kept);
    for (const ValueId value : kept) add(value, patch);
    return patch;
  }

  /// Adds the result as an initializer. Readers of a large one equal to another read that one: layers with tied weights
  /// share one constant.
  void add(ValueId value, GraphPatch& patch) {
    const Tensor& tensor = result(value);
    const std::string& name = graph_.value(value).name;
    const auto& uses = graph_.value(value).uses;
    const bool captured = std::ranges::any_of(uses, [](const Use& use) { return use.slot < 0; });
    if (tensor.byte_count() > kSmall && !captured)
      for (const auto& [other, content] : patch.add_initializers) {
        if (!same_tensor(content, tensor)) continue;
        for (const Use& use : uses) patch.rewire.push_back({graph_.node(use.node).name, use.slot, other});
        return;
      }
    patch.add_initializers.emplace_back(name, tensor);
  }

  const Graph& graph_;
  bool codes_;
  NodeMap<bool> computed_;  // reads only constants and outputs of such nodes
  NodeMap<size_t> limits_;  // bytes that the node may write
  ValueMap<Tensor> results_;
  std::map<ValueId, int64_t> sources_;  // by weight: elements of the constants it is computed from
};

}  // namespace

bool computes_constants(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    const auto is_constant = [&](ValueId value) { return graph.value(value).is_constant; };
    return reads_any(node) && std::ranges::all_of(present(node.inputs), is_constant);
  });
}

size_t fold_constants(Model& model, bool codes) {
  if (!computes_constants(model.graph())) return 0;
  const GraphPatch patch = ConstantFolder(model.graph(), codes).run();
  if (!patch.remove_nodes.empty()) apply_patch(model, patch);
  return patch.remove_nodes.size();
}

}  // namespace detent
