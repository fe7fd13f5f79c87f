#include "place/engines/tensorrt/kernel_work.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "place/draft/attention_fit.h"
#include "place/draft/graph_facts.h"

namespace detent::tensorrt {
namespace {

using Kind = KernelWork::Kind;

constexpr double kCode = 1, kHalf = 2, kFloat = 4;  // bytes
constexpr int kFarthest = 8;                        ///< nodes that are followed between two layers

double filled(int64_t extent, int64_t tile) {
  return extent < 1 ? 1 : static_cast<double>((extent + tile - 1) / tile * tile) / static_cast<double>(extent);
}

bool is_convolution(OpKind kind) { return kind == OpKind::Conv || kind == OpKind::ConvTranspose; }
bool is_multiplication(OpKind kind) { return is_convolution(kind) || kind == OpKind::Gemm || kind == OpKind::MatMul; }

/// Walks over the graph in the order of execution and puts each node into a kernel; then counts what kernels read and
/// write of each value.
class KernelCounter {
 public:
  KernelCounter(const PlacementPlan& plan, const Graph& graph, const ValueShapes& shapes, bool pairs)
      : plan_(plan), graph_(graph), facts_(graph, *plan.target, &shapes), shapes_(shapes), pairs_(pairs) {
    find_attention();
  }

  [[nodiscard]] std::vector<KernelWork> take() {
    count();
    std::vector<KernelWork> found;
    for (const Kernel& kernel : kernels_)
      if (!kernel.joint) found.push_back(kernel.work);
    for (const Copied& copied : copies_) found.push_back(copied.work);
    return found;
  }

  /// floats  counts the kernels without pairs
  [[nodiscard]] std::vector<CodeRegion> take_regions(KernelCounter& floats) {
    count();
    floats.count();
    std::map<size_t, CodeRegion> found;  // by the kernel that stands for the others
    for (const Node& node : graph_.nodes()) {
      const auto kernel = of_node_.find(node.id);
      if (kernel != of_node_.end() && multiplies_codes(node)) found[root_of(kernel->second)].layers.push_back(node.id);
    }
    const auto add_to = [&](const Node& node, std::vector<KernelWork> CodeRegion::*kernels, const KernelWork& work) {
      const auto kernel = of_node_.find(node.id);
      const auto region = kernel == of_node_.end() ? found.end() : found.find(root_of(kernel->second));
      if (region != found.end()) (region->second.*kernels).push_back(work);
    };
    const auto add_all = [&](const KernelCounter& counter, std::vector<KernelWork> CodeRegion::*kernels) {
      for (const Kernel& kernel : counter.kernels_)
        if (!kernel.joint) add_to(*kernel.first, kernels, kernel.work);
      for (const Copied& copied : counter.copies_) add_to(*copied.beside, kernels, copied.work);
    };
    add_all(*this, &CodeRegion::codes);
    add_all(floats, &CodeRegion::floats);
    std::vector<CodeRegion> regions;
    for (auto& [kernel, region] : found) regions.push_back(std::move(region));
    return regions;
  }

 private:
  struct Kernel {
    KernelWork work;
    const Node* first;
    double elements = 0;    ///< that it writes
    bool native = false;    ///< of the compiler of Convs: what borders on others is copied
    bool joint = false;     ///< a Concat: no kernel, but others write into it
    bool residual = false;  ///< it adds another value
    size_t region = 0;      ///< a kernel of the same region, in the end itself
  };
  struct Copied {
    KernelWork work;
    const Node* beside;  ///< the layer or kernel that it serves
  };
  struct Reader {
    const Node* node;
    int slot;
    bool codes;
  };

  void count() {
    for (const Node& node : graph_.nodes()) {
      if (!is_counted(node)) continue;
      for (const ValueId output : present(node.outputs)) live_.insert(output);
      visit(node);
    }
    for (const Value& value : graph_.values()) count_value(value);
    for (Kernel& kernel : kernels_)  // shuffles of floats beside pairs have 32 bits
      if (pairs_ && kernel.native && kind(*kernel.first) == OpKind::Transpose && !all_codes(kernel.first->output(0)))
        kernel.work.bytes *= kFloat / kHalf;
  }

  [[nodiscard]] size_t root_of(size_t kernel) const {
    while (kernels_[kernel].region != kernel) kernel = kernels_[kernel].region;
    return kernel;
  }
  void unite(size_t a, size_t b) {
    a = root_of(a), b = root_of(b);
    kernels_[std::max(a, b)].region = std::min(a, b);
  }

  [[nodiscard]] double count(MaybeValue value) const {
    const Shape* shape = find_shape(shapes_, value);
    return shape ? static_cast<double>(shape->element_count()) : 0;
  }
  [[nodiscard]] size_t rank(MaybeValue value) const {
    const Shape* shape = find_shape(shapes_, value);
    return shape ? shape->rank() : 0;
  }
  [[nodiscard]] OpKind kind(const Node& node) const { return facts_.kind(node.id); }
  [[nodiscard]] bool varies(MaybeValue value) const { return facts_.is_float(value) && !facts_.is_constant(value); }
  /// True for nodes that compute floats of what the network reads; the engine computes others once.
  [[nodiscard]] bool is_counted(const Node& node) const {
    return facts_.is_float(node.output(0)) && count(node.output(0)) > 0 &&
           std::ranges::any_of(present(node.inputs), [&](ValueId input) {
             return varies(input) && (graph_.value(input).is_input || live_.contains(input));
           });
  }

  /// True for nodes that leave elements where they are.
  [[nodiscard]] bool is_free(const Node& node) const {
    switch (kind(node)) {
      case OpKind::Reshape:
      case OpKind::Cast:
      case OpKind::Slice:
      case OpKind::Split: return true;
      case OpKind::Gather: {
        const Tensor* index = graph_.constant(node.input(1));
        return index && index->element_count() == 1;
      }
      case OpKind::Transpose: return is_beside_attention(node);
      case OpKind::Pad:
      case OpKind::Expand:
      case OpKind::Resize:
      case OpKind::Tile: return count(node.input(0)) == count(node.output(0));
      default: return false;
    }
  }
  /// Returns the value whose elements a value has, or a part of them.
  [[nodiscard]] MaybeValue root(MaybeValue value) const {
    while (const Node* producer = graph_.producer(value)) {
      if (!is_counted(*producer) || !is_free(*producer) || !varies(producer->input(0))) break;
      value = producer->input(0);
    }
    return value;
  }
  [[nodiscard]] const Node* producer_behind(MaybeValue value, bool (*passes)(OpKind)) const {
    const Node* producer = graph_.producer(value);
    while (producer && passes(kind(*producer))) producer = graph_.producer(producer->input(0));
    return producer;
  }
  [[nodiscard]] bool is_part(MaybeValue value) const {
    const Node* producer = producer_behind(value, [](OpKind op) { return op == OpKind::Reshape; });
    return producer && (kind(*producer) == OpKind::Slice || kind(*producer) == OpKind::Split);
  }
  [[nodiscard]] std::optional<size_t> kernel_of(MaybeValue value) const {
    const Node* producer = graph_.producer(root(value));
    const auto found = producer ? of_node_.find(producer->id) : of_node_.end();
    return found == of_node_.end() ? std::nullopt : std::optional(found->second);
  }

  // ---- pairs ----
  [[nodiscard]] bool reads_codes(const Node& node, int slot) const {
    const EdgeDecision* edge = pairs_ ? plan_.find_edge(node.id, slot) : nullptr;
    return edge && edge->reads_pair();
  }
  [[nodiscard]] bool multiplies_codes(const Node& node) const {
    if (const LayerDecision* layer = plan_.find_layer(node.id)) return pairs_ && layer->runs_on_codes();
    return reads_codes(node, 0) && reads_codes(node, 1);
  }
  /// True where a quantizer stands in front of a reader, or moves there from behind it.
  [[nodiscard]] bool takes_codes(const Node& node, int slot) const {
    return reads_codes(node, slot) || (facts_.traits(node.id).commutes && all_codes(node.output(0)));
  }
  [[nodiscard]] bool all_codes(MaybeValue value) const {
    if (!value || !pairs_) return false;
    const auto [known, added] = all_codes_.try_emplace(*value, false);
    if (!added) return known->second;
    const Value& of = graph_.value(*value);
    const bool all = !of.is_output && !of.uses.empty() && std::ranges::all_of(of.uses, [&](const Use& use) {
      return use.slot >= 0 && takes_codes(graph_.node(use.node), use.slot);
    });
    return all_codes_[*value] = all;
  }

  // ---- attention ----
  void find_attention() {
    for (const AttentionDecision& decision : plan_.attention) {
      const AttentionBlock& block = decision.block;
      const bool codes = pairs_ && on_codes(decision.runs);
      const auto type = codes ? AttentionKernel::Type::Int8 : AttentionKernel::Type::Half;
      if (!plan_.target->find_attention(type) || !attention_misfit(facts_, block, type).empty()) continue;
      for (const auto* nodes : {&block.between, &block.softmax_nodes, &block.behind})
        for (const NodeId node : *nodes) inside_[node] = &decision;
      for (const NodeId node : {block.first, block.softmax, block.second}) inside_[node] = &decision;
    }
  }
  [[nodiscard]] const AttentionDecision* attention_of(const Node* node) const {
    const auto found = node ? inside_.find(node->id) : inside_.end();
    return found == inside_.end() ? nullptr : found->second;
  }
  /// True where a reader, behind nodes that `passes` names, is one that `ends` looks for.
  template <typename Ends>
  [[nodiscard]] bool leads_to(MaybeValue value, bool (*passes)(OpKind), const Ends& ends, int left = kFarthest) const {
    return value && left > 0 && std::ranges::any_of(graph_.value(*value).uses, [&](const Use& use) {
             const Node& reader = graph_.node(use.node);
             return ends(reader, use.slot) ||
                    (passes(kind(reader)) && leads_to(reader.output(0), passes, ends, left - 1));
           });
  }
  static bool is_reshape(OpKind op) { return op == OpKind::Reshape; }
  static bool moves(OpKind op) {
    return op == OpKind::Reshape || op == OpKind::Transpose || op == OpKind::Mul || op == OpKind::Gather ||
           op == OpKind::Slice || op == OpKind::Split;
  }
  [[nodiscard]] bool is_beside_attention(const Node& transpose) const {
    if (leads_to(transpose.output(0), moves, [&](const Node& reader, int) { return attention_of(&reader) != nullptr; }))
      return true;
    const auto passes = [](OpKind op) { return op == OpKind::Reshape || op == OpKind::Split; };
    return attention_of(producer_behind(transpose.input(0), passes)) &&
           !leads_to(transpose.output(0), is_reshape,
                     [&](const Node& reader, int slot) { return slot >= 0 && reads_codes(reader, slot); });
  }

  // ---- nodes ----
  Kernel& add(Kind of, const Node& node) {
    of_node_[node.id] = kernels_.size();
    kernels_.push_back(
        {.work = {.kind = of}, .first = &node, .elements = count(node.output(0)), .region = kernels_.size()});
    return kernels_.back();
  }
  void join(const Node& node, size_t kernel) {
    of_node_[node.id] = kernel;
    kernels_[kernel].elements = count(node.output(0));
  }
  void copy(const Node& beside, double read, double written) {
    copies_.push_back({.work = {.kind = Kind::Copy, .bytes = read + written}, .beside = &beside});
  }

  void visit(const Node& node) {
    const OpKind op = kind(node);
    if (const AttentionDecision* attention = attention_of(&node))
      visit_attention(node, *attention);
    else if (is_multiplication(op))
      visit_product(node);
    else if (is_free(node))
      return;
    else if (op == OpKind::Concat)
      visit_concat(node);
    else if (op == OpKind::MaxPool || op == OpKind::AveragePool || op == OpKind::GlobalAveragePool ||
             op == OpKind::Resize || (op == OpKind::ReduceMean && !is_along_last_axis(node)))
      add(Kind::Reduction, node).native = true;
    else if (facts_.traits(node.id).commutes && op != OpKind::Transpose)
      add(Kind::Copy, node);
    else
      visit_pointwise(node);
  }

  void visit_attention(const Node& node, const AttentionDecision& attention) {
    const AttentionBlock& block = attention.block;
    if (const auto found = of_node_.find(block.first); found != of_node_.end()) return join(node, found->second);
    constexpr int64_t kTile = 64;  // tokens
    KernelWork& work = add(Kind::Attention, node).work;
    work.codes = pairs_ && on_codes(attention.runs);
    work.operations =
        2 * static_cast<double>(attention.macs) * filled(block.sizes.queries, kTile) * filled(block.sizes.keys, kTile);
  }

  [[nodiscard]] bool is_along_last_axis(const Node& node) const {
    const Shape *from = find_shape(shapes_, node.input(0)), *to = find_shape(shapes_, node.output(0));
    if (!from || !to || from->rank() == 0 || from->rank() != to->rank()) return false;
    const size_t last = from->rank() - 1;
    return (*to)[last] == 1 && from->element_count() == to->element_count() * (*from)[last];
  }

  void visit_product(const Node& node) {
    const bool codes = multiplies_codes(node), weighted = facts_.is_weighted(node.id);
    const MaybeValue input = node.input(0);
    if (kind(node) == OpKind::MatMul && weighted) {
      const auto [same, added] = of_input_.try_emplace({root(input), codes}, kernels_.size());
      if (!added) {
        of_node_[node.id] = same->second;
        kernels_[same->second].work.operations += operations(node, codes);
        return;
      }
    }
    const bool depthwise = weighted && kind(node) == OpKind::Conv && node.int_or("group", 1) > 1 && channels(node) == 1;
    Kernel& kernel = add(depthwise ? Kind::Depthwise : Kind::Product, node);
    kernel.native = is_convolution(kind(node));
    kernel.work.codes = codes;
    kernel.work.operations = operations(node, codes);
    if (weighted)
      kernel.work.bytes = kernel.work.weights =
          static_cast<double>(facts_.weight(node.id).element_count()) * (codes ? kCode : kHalf);
    if (is_part(input))
      copy(node,
           count(input) * (reads_codes(node, 0) ? kCode
                           : pairs_             ? kFloat
                                                : kHalf),
           count(input) * (codes ? kCode : kHalf));
  }
  [[nodiscard]] int64_t channels(const Node& conv) const {
    const Shape& weight = facts_.weight(conv.id).shape();
    return weight.rank() > 1 ? weight[1] : 0;
  }
  [[nodiscard]] double operations(const Node& node, bool codes) const {
    const LayerDecision* layer = plan_.find_layer(node.id);
    if (!layer) {
      const Shape* data = find_shape(shapes_, node.input(0));
      const auto terms = data && data->rank() > 0 ? static_cast<double>((*data)[data->rank() - 1]) : 0;
      return 2 * count(node.output(0)) * terms;
    }
    return 2 * static_cast<double>(layer->macs) * tiles(node, codes);
  }
  /// Returns how many times the channels of a Conv are computed: kernels work on whole vectors and tiles.
  [[nodiscard]] double tiles(const Node& node, bool codes) const {
    if (kind(node) != OpKind::Conv || !facts_.is_weighted(node.id)) return 1;
    constexpr int64_t kGroup = 32, kStem = 4, kColumns = 128;
    const int64_t in = channels(node), out = facts_.weight(node.id).shape()[0];
    if (node.int_or("group", 1) > 1) return in > 1 && in < kGroup ? filled(in, kGroup) : 1;
    return filled(in, in <= kStem ? 8 : codes ? 64 : 16) * filled(out, kColumns);
  }

  void visit_concat(const Node& node) {
    const bool of_convs = std::ranges::any_of(present(node.inputs), [&](ValueId input) {
      const auto from = kernel_of(input);
      return from && kernels_[*from].native;
    });
    if (!of_convs) return visit_pointwise(node);
    const bool shuffled =
        leads_to(node.output(0), is_reshape, [&](const Node& next, int) { return kind(next) == OpKind::Transpose; });
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const MaybeValue input = node.inputs[slot];
      if (!varies(input)) continue;
      const auto from = kernel_of(input);
      const bool direct = !shuffled && from && kernels_[*from].work.kind == Kind::Product &&
                          graph_.value(*input).uses.size() == 1 && !is_part(input);
      // Floats lie channel by channel, so that short runs are written between others: twice the bytes.
      const double bytes = count(input) * (takes_codes(node, static_cast<int>(slot)) ? kCode : kFloat);
      if (!direct) copy(node, bytes, bytes);
    }
    Kernel& kernel = add(Kind::Copy, node);
    kernel.native = kernel.joint = true;
  }

  void visit_pointwise(const Node& node) {
    std::optional<size_t> latest;
    ValueId through{};
    bool native = true;
    for (const ValueId input : present(node.inputs)) {
      if (!varies(input)) continue;
      const auto from = kernel_of(input);
      native = native && from && kernels_[*from].native;
      if (!from || (latest && *from <= *latest)) continue;
      latest = from;
      through = input;
    }
    const bool adds = std::ranges::any_of(present(node.inputs),
                                          [&](ValueId input) { return varies(input) && kernel_of(input) != latest; });
    if (latest && may_join(node, *latest, through, adds)) {
      join(node, *latest);
      kernels_[*latest].residual = kernels_[*latest].residual || adds;
      return;
    }
    const OpKind op = kind(node);
    const bool other = op == OpKind::LayerNorm || op == OpKind::ReduceMean || op == OpKind::Softmax ||
                       (op == OpKind::Transpose && rank(node.output(0)) <= 4);
    add(Kind::Pointwise, node).native = native && !other;
  }

  [[nodiscard]] bool is_epilogue(const Node& node) const {
    if (is_multiplication(kind(node)) || is_free(node) || attention_of(&node)) return false;
    const OpKind op = kind(node);
    return is_activation(op) || is_arithmetic(op) || op == OpKind::Gelu || op == OpKind::PRelu ||
           op == OpKind::BatchNorm;
  }
  /// adds  it reads values that another kernel writes
  [[nodiscard]] bool may_join(const Node& node, size_t index, ValueId through, bool adds) const {
    const Kernel& kernel = kernels_[index];
    if (kernel.work.kind == Kind::Pointwise) return true;
    if (kernel.work.kind != Kind::Product && kernel.work.kind != Kind::Depthwise) return false;
    if (!is_epilogue(node) || kernel.elements != count(node.output(0))) return false;
    const bool conv = kind(*kernel.first) == OpKind::Conv;
    if (adds && (!conv || kernel.residual)) return false;
    if (!conv && rank(kernel.first->output(0)) > 3 && kind(node) != OpKind::Add) return false;  // GELU in Swin
    const Value& value = graph_.value(through);
    return !value.is_output &&
           std::ranges::all_of(value.uses, [&](const Use& use) { return is_epilogue(graph_.node(use.node)); });
  }

  // ---- values ----
  void find_readers(ValueId value, bool codes, std::vector<Reader>& found, bool& output) const {
    output = output || graph_.value(value).is_output;
    for (const Use& use : graph_.value(value).uses) {
      const Node& reader = graph_.node(use.node);
      if (use.slot < 0 || !is_counted(reader)) continue;
      const bool reads = codes || takes_codes(reader, use.slot);
      if (!is_free(reader))
        found.push_back({&reader, use.slot, reads});
      else if (use.slot == 0)
        for (const ValueId part : present(reader.outputs)) find_readers(part, reads, found, output);
    }
  }

  /// Adds the bytes of a value to the kernels that read and write it, and the copies between.
  void count_value(const Value& value) {
    const double elements = count(value.id);
    const auto from = kernel_of(value.id);
    if (!varies(value.id) || elements == 0 || root(value.id) != MaybeValue(value.id) || (!from && !value.is_input))
      return;
    std::vector<Reader> readers;
    bool floats = false, codes = false, float_conv = false, border = false;
    find_readers(value.id, false, readers, floats);
    std::set<std::pair<size_t, bool>> seen;
    const Node* coded = nullptr;  // the first reader of codes
    for (const Reader& reader : readers) {
      const auto to = of_node_.find(reader.node->id);
      if (to == of_node_.end() || from == to->second) continue;
      Kernel& kernel = kernels_[to->second];
      (reader.codes ? codes : floats) = true;
      if (reader.codes && coded) unite(of_node_[coded->id], to->second);
      if (reader.codes && !coded) coded = reader.node;
      float_conv = float_conv || (!reader.codes && kind(*reader.node) == OpKind::Conv);
      border = border || (from && !reader.codes && !kernel.joint && !kernels_[*from].joint &&
                          kind(*reader.node) != OpKind::ReduceMean && kernels_[*from].native != kernel.native);
      if (!kernel.joint && seen.insert({to->second, reader.codes}).second)
        kernel.work.bytes += count(reader.node->input(reader.slot)) * (reader.codes ? kCode : kHalf);
    }
    if (!floats && !codes) return;
    if (!from && readers.empty()) return;  // an input that is an output, too
    if (!from) return copy(*readers.front().node, elements * kFloat, elements * (codes ? kCode : kHalf));
    Kernel& kernel = kernels_[*from];
    const Kind of = kernel.work.kind;
    const bool product = of == Kind::Product || of == Kind::Depthwise;
    const bool closes = kernel.work.codes || of == Kind::Pointwise || of == Kind::Attention || kernel.joint ||
                        (!product && (reads_codes(*kernel.first, 0) || all_codes(value.id)));
    const bool alone = codes && (!closes || (product && floats));  // a quantizer by itself
    const bool wide =
        floats && !kernel.joint && (border || (kernel.work.codes && product && kernel.native && float_conv));
    if (!kernel.joint)
      kernel.work.bytes += elements * ((wide ? kFloat : floats || alone ? kHalf : 0) + (codes && !alone ? kCode : 0));
    if (alone) copy(*coded, elements * kHalf, elements * kCode);
    if (codes && (!alone || kernel.work.codes)) unite(*from, of_node_[coded->id]);
    if (wide) copy(*kernel.first, elements * kFloat, elements * kHalf);
  }

  const PlacementPlan& plan_;
  const Graph& graph_;
  GraphFacts facts_;
  const ValueShapes& shapes_;
  bool pairs_;
  std::vector<Kernel> kernels_;
  std::vector<Copied> copies_;
  std::map<NodeId, size_t> of_node_;                        ///< kernels
  std::map<std::pair<MaybeValue, bool>, size_t> of_input_;  ///< kernels of linear layers, by input and codes
  std::map<NodeId, const AttentionDecision*> inside_;       ///< nodes of fused attention
  std::set<ValueId> live_;                                  ///< that depend on what the network reads
  mutable std::map<ValueId, bool> all_codes_;
};

}  // namespace

std::vector<KernelWork> kernel_work(const PlacementPlan& plan, const Graph& graph, const ValueShapes& shapes,
                                    bool pairs) {
  return KernelCounter(plan, graph, shapes, pairs).take();
}

std::vector<CodeRegion> code_regions(const PlacementPlan& plan, const Graph& graph, const ValueShapes& shapes) {
  KernelCounter floats(plan, graph, shapes, false);
  return KernelCounter(plan, graph, shapes, true).take_regions(floats);
}

}  // namespace detent::tensorrt
