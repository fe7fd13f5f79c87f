#include "lint/view/engine_forecast.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "lint/view/pair_wires.h"

namespace detent {

namespace {

constexpr std::array<std::string_view, 3> kActivations{"Relu", "Clip", "LeakyRelu"};
/// Channels of a network's input, at most: kernels of a Conv with its pool read four.
constexpr int64_t kStemChannels = 4;

bool is_op(const Node& node, std::string_view op) { return node.domain.empty() && node.op_type == op; }
/// True for a BatchNormalization that becomes part of the Conv in front. engines/trex-notebook-int8-yolo: those whose
/// numbers come from Identity nodes are layers behind the Conv.
bool is_folded_norm(const Graph& graph, const Node& node) {
  return is_op(node, "BatchNormalization") && std::ranges::all_of(present(node.inputs), [&](ValueId input) {
           return input == node.input(0) || graph.constant(input);
         });
}
bool is_activation(const Node& node) {
  return node.domain.empty() && std::ranges::find(kActivations, node.op_type) != kActivations.end();
}

/// The Convs of a file and the nodes right behind them.
class ConvLayers {
 public:
  explicit ConvLayers(const Graph& graph) : graph_(graph), wires_(graph) {
    for (const Node& node : graph.nodes())
      if (is_op(node, "Conv")) follow(node);
    for (const auto& [add, conv] : last_conv_) follow_add(graph_.node(add), graph_.node(conv));
  }

  [[nodiscard]] std::vector<NodeFusion> take() { return std::move(found_); }
  [[nodiscard]] const PairWires& wires() const { return wires_; }

 private:
  /// Returns the only reader of a node's output; nullptr where there are others or the network writes it out.
  [[nodiscard]] const Node* only_reader(const Node& node) const {
    if (!node.output(0)) return nullptr;
    const Value& output = graph_.value(*node.output(0));
    return output.is_output || output.uses.size() != 1 ? nullptr : &graph_.node(output.uses.front().node);
  }

  void follow(const Node& conv) {
    const Node* reader = only_reader(conv);
    while (reader && is_folded_norm(graph_, *reader)) reader = only_reader(*reader);
    if (reader && is_op(*reader, "Add")) last_conv_[reader->id] = conv.id;
    if (reader && quantizes(*reader)) follow_pair(*reader, conv);
    if (reader && is_activation(*reader)) {
      found_.push_back({reader->name, conv.name, true});
      reader = only_reader(*reader);
    }
    if (reader && is_op(*reader, "MaxPool")) follow_pool(*reader, conv);
  }

  void follow_add(const Node& add, const Node& conv) {
    found_.push_back({add.name, conv.name, true});
    const Node* reader = only_reader(add);
    if (reader && is_activation(*reader)) found_.push_back({reader->name, conv.name, true});
  }

  /// Notes an Add behind the pair on a Conv's output, unless another Conv takes it in.
  void follow_pair(const Node& quantizer, const Node& conv) {
    const Node* dequantizer = only_reader(quantizer);
    const Node* add = dequantizer && takes_apart(*dequantizer) ? only_reader(*dequantizer) : nullptr;
    if (!add || !is_op(*add, "Add")) return;
    const bool other = std::ranges::any_of(present(add->inputs), [&](ValueId input) {
      const Node* producer = wires_.producer(input);
      while (producer && is_folded_norm(graph_, *producer)) producer = wires_.producer(producer->input(0));
      return producer && is_op(*producer, "Conv") && graph_.value(input).uses.size() == 1;
    });
    if (!other) found_.push_back({add->name, conv.name, false});
  }

  void follow_pool(const Node& pool, const Node& conv) {
    const Value& output = graph_.value(*pool.output(0));
    const bool codes =
        wires_.reads_codes(conv) && !output.is_output && !output.uses.empty() && !wires_.float_reader(output.id);
    if (!codes || channels(conv) <= kStemChannels) found_.push_back({pool.name, conv.name, codes});
  }

  /// Returns the channels that each kernel reads; a number above all others where the weight is not known.
  [[nodiscard]] int64_t channels(const Node& conv) const {
    MaybeValue weight = conv.input(1);
    for (const Node* pair = wires_.producer(weight); pair && takes_apart(*pair); pair = wires_.producer(weight)) {
      const Node* quantizer = wires_.quantizer_of(*pair);
      weight = quantizer ? quantizer->input(0) : pair->input(0);
    }
    const Tensor* tensor = graph_.constant(weight);
    return tensor && tensor->shape().rank() > 1 ? tensor->shape()[1] : kStemChannels + 1;
  }

  const Graph& graph_;
  PairWires wires_;
  std::vector<NodeFusion> found_;
  std::map<NodeId, NodeId> last_conv_;  ///< by Add
};

/// The nodes inside layers that read codes, and the float nodes between them.
class FloatLayers {
 public:
  explicit FloatLayers(const Graph& graph) : graph_(graph), wires_(graph) {
    for (const Node& node : graph.nodes())
      if (wires_.reads_codes(node)) add_layer(node);
    for (const NodeFusion& fusion : node_fusions(graph))
      if (const MaybeNode conv = graph.find_node(fusion.conv); fusion.fused && coded_.contains(*conv))
        coded_.insert(*graph.find_node(fusion.node));
  }

  [[nodiscard]] std::vector<ReformatPlace> places() const {
    std::vector<ReformatPlace> found;
    for (const Node& node : graph_.nodes()) {
      if (!is_float_layer(node)) continue;
      std::string reason = reason_at_border(node);
      const bool island = reason.empty() && is_island(node);
      if (island) reason = "'" + node.name + "' (" + node.op_type + ") computes in floats between INT8 layers";
      if (!reason.empty()) found.push_back({around(node), std::move(reason), island});
    }
    return found;
  }

 private:
  /// Adds a product and the chain of its parts.
  void add_layer(const Node& product) {
    for (const Node* node = &product; node && coded_.insert(node->id).second;) {
      const Node* reader = wires_.part_behind(node->output(0));
      for (const Use& use : graph_.value(*node->output(0)).uses)
        if (reader && reader->op_type == "Mul") coded_.insert(use.node);  // the Sigmoid of x * Sigmoid(x) too
      node = reader && is_epilogue(*reader) ? reader : nullptr;
    }
  }

  /// True for a node that computes in floats. A MaxPool that no pair moves across is one.
  [[nodiscard]] bool is_float_layer(const Node& node) const {
    if (coded_.contains(node.id) || quantizes(node) || takes_apart(node) || node.op_type == "Constant") return false;
    if (is_op(node, "MaxPool")) return wires_.float_reader(node.input(0)) != nullptr;
    return !moves_pairs(node) && !is_folded(node) && !is_between_pairs(node);
  }

  /// True for a pool or an elementwise operator that reads and writes codes: GlobalAveragePool_300 in
  /// engines/trex-pt-resnet18-A100-qat-residual-qgap.
  [[nodiscard]] bool is_between_pairs(const Node& node) const {
    const bool may = is_epilogue(node) || is_op(node, "GlobalAveragePool") || is_op(node, "AveragePool");
    return may && wires_.is_dequantized(node.input(0)) && !wires_.float_reader(node.output(0));
  }

  /// True for an activation or BatchNormalization that is part of a float layer in front of it.
  [[nodiscard]] bool is_folded(const Node& node) const {
    const Node* producer = wires_.producer(node.input(0));
    return producer && is_epilogue(node) && (is_op(*producer, "Conv") || is_epilogue(*producer));
  }

  [[nodiscard]] std::string reason_at_border(const Node& node) const {
    if (is_product(node) && is_network_input(node.input(0)))
      return "the network's input is linear, and '" + node.name + "' may read another layout";
    if (leads_to_output(node.output(0)))
      return "'" + node.name + "' computes the network's output in floats, and may write another type or layout";
    return {};
  }

  [[nodiscard]] bool is_island(const Node& node) const {
    return std::ranges::any_of(present(node.inputs), [&](ValueId input) { return comes_from_codes(input); }) &&
           leads_to_quantizer(node.output(0));
  }

  [[nodiscard]] bool is_network_input(MaybeValue input) const {
    return input && !graph_.value(*input).is_constant && !wires_.producer(input);
  }

  [[nodiscard]] bool comes_from_codes(ValueId value) const {
    const Node* producer = wires_.producer(value);
    while (producer && moves_pairs(*producer) && !is_float_layer(*producer))
      producer = wires_.producer(producer->input(0));
    return producer && (coded_.contains(producer->id) || takes_apart(*producer)) && !wires_.is_constant(*producer);
  }

  /// True for copies and for parts of float layers.
  [[nodiscard]] bool passes_on(const Node& node) const {
    return !coded_.contains(node.id) && (moves_pairs(node) || is_folded(node));
  }

  /// Calls `visit` for the readers of a value and of the copies behind it, until it returns true.
  template <class Visit>
  [[nodiscard]] bool any_reader(MaybeValue value, const Visit& visit, int left = 16) const {
    if (!value) return false;
    return std::ranges::any_of(graph_.value(*value).uses, [&](const Use& use) {
      const Node& reader = graph_.node(use.node);
      return visit(reader) || (passes_on(reader) && left > 0 && any_reader(reader.output(0), visit, left - 1));
    });
  }

  [[nodiscard]] bool leads_to_quantizer(MaybeValue value) const {
    return any_reader(value, [](const Node& reader) { return quantizes(reader); });
  }

  [[nodiscard]] bool leads_to_output(MaybeValue value) const {
    const auto writes_out = [&](const Node& reader) {
      return passes_on(reader) && graph_.value(*reader.output(0)).is_output;
    };
    return value && (graph_.value(*value).is_output || any_reader(value, writes_out));
  }

  /// Returns the node and the layers that read it, across copies and pairs.
  [[nodiscard]] std::vector<std::string> around(const Node& node) const {
    std::vector<std::string> names{node.name};
    const auto add = [&](const Node& reader) {
      if (is_product(reader)) names.push_back(reader.name);
      return false;
    };
    static_cast<void>(any_reader(node.output(0), [&](const Node& reader) {
      if (quantizes(reader))
        for (const Use& use : graph_.value(*reader.output(0)).uses)
          static_cast<void>(any_reader(graph_.node(use.node).output(0), add));
      return add(reader);
    }));
    return names;
  }

  const Graph& graph_;
  PairWires wires_;
  std::set<NodeId> coded_;
};

/// Returns why an input of a Concat of codes is copied; "" where its layer writes into the joint tensor.
std::string reason_of_copy(const Graph& graph, const PairWires& wires, MaybeValue input) {
  if (!input) return {};
  bool shared = graph.value(*input).uses.size() > 1;
  const Node* producer = wires.producer(input);
  while (producer && (takes_apart(*producer) || quantizes(*producer))) {
    input = producer->input(0);
    shared |= graph.value(*input).uses.size() > 1;
    producer = wires.producer(input);
  }
  if (!producer) return {};
  if (is_op(*producer, "Resize")) return "'" + producer->name + "' (Resize) cannot write into the joint tensor";
  const bool codes = wires.writes_codes(input) && !wires.float_reader(input);
  return shared && codes ? "another layer reads its codes too" : std::string();
}

}  // namespace

std::vector<NodeFusion> node_fusions(const Graph& file) { return ConvLayers(file).take(); }

std::vector<ReformatPlace> reformat_places(const Graph& file) { return FloatLayers(file).places(); }

std::vector<ConcatCopy> concat_copies(const Graph& file) {
  const PairWires wires(file);
  std::vector<ConcatCopy> found;
  for (const Node& node : file.nodes()) {
    if (!is_op(node, "Concat")) continue;
    const Value& output = file.value(*node.output(0));
    if (output.is_output || output.uses.empty() || wires.float_reader(output.id)) continue;
    for (const ValueId input : present(node.inputs))
      if (std::string reason = reason_of_copy(file, wires, input); !reason.empty())
        found.push_back({node.name, file.value(input).name, std::move(reason)});
  }
  return found;
}

}  // namespace detent
