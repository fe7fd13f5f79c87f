#include <algorithm>
#include <optional>
#include <vector>

#include "core/index.h"
#include "model/name_source.h"
#include "place/draft/certain_shapes.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

constexpr int64_t kMostChannels = 512;  ///< for which a product was measured to be faster (464)

/// A channel shuffle. Channel k of `shuffled` is channel order[k] of `value`.
struct Shuffle {
  ValueId value{}, shuffled{};
  std::vector<int64_t> order;
  std::vector<const Node*> nodes;
};

class ShuffleReader {
 public:
  explicit ShuffleReader(const Graph& graph) : graph_(graph), facts_(graph, default_target()), shapes_(facts_) {}

  /// Returns the shuffle that a Reshape ends.
  std::optional<Shuffle> read(const Node& last) {
    const Node* turn = sole_source(last);
    const Node* first = turn && turn->op_type == "Transpose" ? sole_source(*turn) : nullptr;
    if (!first || first->op_type != "Reshape" || last.op_type != "Reshape" || !first->input(0) || !last.output(0))
      return {};
    if (turn->ints_or("perm", {}) != std::vector<int64_t>{0, 2, 1, 3, 4}) return {};
    const auto before = shapes_.of(first->input(0)), apart = shapes_.of(first->output(0)),
               after = shapes_.of(last.output(0));
    if (!before || !apart || !after || before->size() != 4 || apart->size() != 5 || after->size() != 4) return {};
    const int64_t channels = (*before)[1], groups = (*apart)[1], members = (*apart)[2];
    if (channels < 1 || channels > kMostChannels || groups < 2 || members < 1 || groups * members != channels)
      return {};
    for (size_t axis : {2U, 3U})
      if ((*before)[axis] < 1 || (*before)[axis] != (*apart)[axis + 1] || (*before)[axis] != (*after)[axis]) return {};
    if ((*after)[1] != channels && (*after)[1] != -1) return {};
    Shuffle found{*first->input(0), *last.output(0), {}, {first, turn, &last}};
    for (int64_t k = 0; k < channels; ++k) found.order.push_back(k % groups * members + k / groups);
    return found;
  }

  /// Returns the channels that a Slice takes, as [begin, end); nullopt for other nodes.
  std::optional<std::pair<int64_t, int64_t>> cut(const Node& node, int64_t channels) {
    if (node.op_type != "Slice" || !node.domain.empty() || !node.input(3) || !node.output(0)) return {};
    const auto axes = shapes_.numbers(node.input(3)), starts = shapes_.numbers(node.input(1)),
               ends = shapes_.numbers(node.input(2));
    const bool steps = node.input(4) && shapes_.numbers(node.input(4)) != CertainShapes::Extents{1};
    if (axes != CertainShapes::Extents{1} || steps || !starts || !ends || starts->size() != 1 || ends->size() != 1)
      return {};
    if ((*starts)[0] == CertainShapes::kOpen || (*ends)[0] == CertainShapes::kOpen) return {};
    const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + channels : at, 0, channels); };
    const int64_t begin = place((*starts)[0]), end = place((*ends)[0]);
    return begin < end ? std::optional(std::pair(begin, end)) : std::nullopt;
  }

  /// True for a 1x1 Conv of one group with a constant FP32 weight for so many channels.
  [[nodiscard]] bool is_pointwise(const Node& node, int64_t channels) const {
    const Tensor* weight = node.op_type == "Conv" && node.domain.empty() ? graph_.constant(node.input(1)) : nullptr;
    return weight && weight->type() == DataType::Float32 && weight->shape().rank() == 4 &&
           weight->shape()[1] == channels && weight->shape()[2] == 1 && weight->shape()[3] == 1 &&
           node.int_or("group", 1) == 1;
  }

 private:
  [[nodiscard]] const Node* sole_source(const Node& node) const {
    const Node* source = graph_.producer(node.input(0));
    if (!source || !source->domain.empty() || !source->output(0)) return nullptr;
    const Value& value = graph_.value(*source->output(0));
    return value.uses.size() == 1 && !value.is_output ? source : nullptr;
  }

  const Graph& graph_;
  GraphFacts facts_;  // sizes are the same for every target
  CertainShapes shapes_;
};

/// Returns the weights of a 1x1 Conv that picks these channels.
Tensor picking(std::span<const int64_t> picked, int64_t channels) {
  Tensor weight(DataType::Float32, {std::ssize(picked), channels, 1, 1});
  const auto numbers = weight.mutable_data<float>();
  std::ranges::fill(numbers, 0.0F);
  for (size_t out = 0; out < picked.size(); ++out) numbers[out * as_index(channels) + as_index(picked[out])] = 1;
  return weight;
}

/// Returns the weights for all channels of a Conv that reads these.
Tensor spread(const Tensor& weight, std::span<const int64_t> picked, int64_t channels) {
  Tensor wide(DataType::Float32, {weight.shape()[0], channels, 1, 1});
  const auto to = wide.mutable_data<float>();
  std::ranges::fill(to, 0.0F);
  const auto from = weight.data<float>();
  for (size_t out = 0; out < as_index(weight.shape()[0]); ++out)
    for (size_t in = 0; in < picked.size(); ++in)
      to[out * as_index(channels) + as_index(picked[in])] = from[out * picked.size() + in];
  return wide;
}

/// Writes one shuffle as products.
class ShuffleWriter {
 public:
  ShuffleWriter(const Graph& graph, ShuffleReader& reader, NameSource& names, GraphPatch& patch)
      : graph_(graph), reader_(reader), names_(names), patch_(patch) {}

  void write(const Shuffle& shuffle) {
    const Value& shuffled = graph_.value(shuffle.shuffled);
    const std::string source = graph_.value(shuffle.value).name;
    const int64_t channels = std::ssize(shuffle.order);
    bool picks_all = shuffled.is_output;
    for (const Use& use : shuffled.uses) {
      const Node* reader = use.slot < 0 ? nullptr : &graph_.node(use.node);
      if (reader && reader->op_type == "Shape")
        patch_.rewire.push_back({reader->name, 0, source});
      else if (const auto range = reader && use.slot == 0 ? reader_.cut(*reader, channels) : std::nullopt)
        take(*reader, source,
             std::span(shuffle.order).subspan(as_index(range->first), as_index(range->second - range->first)),
             channels);
      else
        picks_all = true;
    }
    if (picks_all) add_conv(source, shuffled.name, picking(shuffle.order, channels));
    for (const Node* node : shuffle.nodes) patch_.remove_nodes.push_back(node->name);
  }

 private:
  /// Gives the reader of a Slice its channels in front of the shuffle.
  void take(const Node& slice, const std::string& source, std::span<const int64_t> picked, int64_t channels) {
    const Value& part = graph_.value(*slice.output(0));
    const bool sole = part.uses.size() == 1 && part.uses[0].slot == 0 && !part.is_output;
    const Node* conv = sole ? &graph_.node(part.uses[0].node) : nullptr;
    patch_.remove_nodes.push_back(slice.name);
    if (!conv || !reader_.is_pointwise(*conv, std::ssize(picked)))
      return add_conv(source, part.name, picking(picked, channels));
    const std::string weight = names_.fresh(graph_.value(*conv->input(1)).name + "_shuffled");
    patch_.add_initializers.emplace_back(weight, spread(*graph_.constant(conv->input(1)), picked, channels));
    patch_.rewire.push_back({conv->name, 0, source});
    patch_.rewire.push_back({conv->name, 1, weight});
  }
  void add_conv(const std::string& from, const std::string& to, Tensor weight) {
    const std::string name = names_.fresh(to + "_channels");
    patch_.add_initializers.emplace_back(name, std::move(weight));
    patch_.add_nodes.push_back(
        {"Conv", names_.fresh(to + "_Conv"), {from, name}, {to}, {{"kernel_shape", std::vector<int64_t>{1, 1}}}, ""});
  }

  const Graph& graph_;
  ShuffleReader& reader_;
  NameSource& names_;
  GraphPatch& patch_;
};

}  // namespace

GraphPatch shuffle_products(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "write channel shuffles as products";
  if (std::ranges::none_of(graph.nodes(), [](const Node& node) { return node.op_type == "Transpose"; })) return patch;
  ShuffleReader reader(graph);
  std::vector<Shuffle> shuffles;
  bool cuts = false;
  for (const Node& node : graph.nodes()) {
    std::optional<Shuffle> shuffle = reader.read(node);
    if (!shuffle) continue;
    for (const Use& use : graph.value(shuffle->shuffled).uses)
      cuts = cuts || (use.slot == 0 && reader.cut(graph.node(use.node), std::ssize(shuffle->order)));
    shuffles.push_back(std::move(*shuffle));
  }
  if (!cuts) return patch;
  NameSource names(graph);
  ShuffleWriter writer(graph, reader, names, patch);
  for (const Shuffle& shuffle : shuffles) writer.write(shuffle);
  return patch;
}

}  // namespace detent::forms
