#include "rewrite/integer_gates.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "model/name_source.h"
#include "ops/self_gated.h"
#include "ops/traits.h"

namespace detent {
namespace {

constexpr float kHalfWidth = 3;      // HardSigmoid rises from -3 to 3
constexpr float kTolerance = 1e-5F;  // of scales, relative
constexpr int kLastCode = 255;

bool is_about(float number, float wanted) { return std::abs(number - wanted) <= kTolerance * std::abs(wanted); }

/// One UINT8 grid.
struct Grid {
  float scale = 0;
  int zero_point = 0;
};

/// Returns the grid of a QuantizeLinear or DequantizeLinear; nullopt for other nodes, types, and several scales.
std::optional<Grid> grid_of(const Graph& graph, const Node* node, OpKind kind) {
  if (!node || traits_of(graph, *node).kind != kind) return std::nullopt;
  const Tensor *scale = graph.constant(node->input(1)), *zero_point = graph.constant(node->input(2));
  if (!scale || !zero_point || scale->type() != DataType::Float32 || zero_point->type() != DataType::UInt8 ||
      scale->element_count() != 1 || zero_point->element_count() != 1)
    return std::nullopt;
  return Grid{scale->data<float>()[0], zero_point->data<uint8_t>()[0]};
}

/// Returns the only reader of a value; nullptr when there are none or several, or a graph output is one.
const Node* only_reader(const Graph& graph, ValueId value) {
  const Value& read = graph.value(value);
  const bool one = !read.is_output && read.uses.size() == 1 && read.uses.front().slot >= 0;
  return one ? &graph.node(read.uses.front().node) : nullptr;
}

/// HardSwish of `input`, times `factor`.
struct Gated {
  ValueId input{}, output{};
  float factor = 1;
};

std::optional<Gated> hard_swish(const Graph& graph, const Node& node) {
  if (node.outputs.empty() || !node.output(0)) return std::nullopt;
  if (traits_of(graph, node).kind == OpKind::HardSwish) {
    if (!node.input(0)) return std::nullopt;
    return Gated{*node.input(0), *node.output(0)};
  }
  const auto gated = self_gated_activation(graph, node);
  if (!gated || gated->hard_swish <= 0) return std::nullopt;
  return Gated{gated->input, *node.output(0), gated->hard_swish};
}

/// Takes in the Mul or Div by a number that makes the product HardSwish itself. Returns false where none does.
bool reach_factor_one(const Graph& graph, Gated& gated) {
  if (is_about(gated.factor, 1)) return true;
  const Node* scaling = only_reader(graph, gated.output);
  if (!scaling || scaling->inputs.size() != 2 || !scaling->output(0)) return false;
  const OpKind kind = traits_of(graph, *scaling).kind;
  const bool first = scaling->inputs[0] == gated.output;
  const Tensor* number = graph.constant(scaling->inputs[first ? 1 : 0]);
  if (!number || number->type() != DataType::Float32 || number->element_count() != 1) return false;
  const float by = number->data<float>()[0];
  if (kind == OpKind::Mul)
    gated.factor *= by;
  else if (kind == OpKind::Div && first)
    gated.factor /= by;
  else
    return false;
  gated.output = *scaling->output(0);
  return is_about(gated.factor, 1);
}

/// Returns the nodes that compute `output` from `input`; empty where others read what they write.
std::vector<const Node*> nodes_between(const Graph& graph, ValueId input, ValueId output) {
  constexpr size_t kMost = 8;  // Add, Max, Min, Mul, Mul, Div and one more
  std::vector<const Node*> inside;
  std::vector<ValueId> open{output};
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    if (value == input || graph.value(value).is_constant) continue;
    const Node* writer = graph.producer(value);
    if (!writer || inside.size() > kMost) return {};
    if (std::ranges::find(inside, writer) != inside.end()) continue;
    inside.push_back(writer);
    for (const MaybeValue read : writer->inputs)
      if (read) open.push_back(*read);
  }
  const auto is_inside = [&](const Use& use) {
    return use.slot >= 0 && std::ranges::any_of(inside, [&](const Node* node) { return node->id == use.node; });
  };
  const auto is_closed = [&](ValueId value) {
    return !graph.value(value).is_output && std::ranges::all_of(graph.value(value).uses, is_inside);
  };
  const bool closed = is_closed(input) && std::ranges::all_of(inside, [&](const Node* node) {
                        return std::ranges::all_of(
                            node->outputs, [&](MaybeValue own) { return !own || *own == output || is_closed(*own); });
                      });
  return closed ? inside : std::vector<const Node*>{};
}

/// Returns the Clip between the codes and a DequantizeLinear; nullptr when it reads the codes themselves.
const Node* clip_of(const Graph& graph, const Node& dequantize, ValueId codes) {
  if (dequantize.input(0) == codes) return nullptr;
  const Node* clip = graph.producer(dequantize.input(0));
  return clip && traits_of(graph, *clip).kind == OpKind::Clip && clip->input(0) == codes ? clip : nullptr;
}

/// True where DequantizeLinear `gate` makes HardSigmoid of the numbers whose codes `numbers` reads.
bool makes_gate(const Graph& graph, const Node& gate, const Node& numbers) {
  const auto own = grid_of(graph, &gate, OpKind::DequantizeLinear);
  const auto grid = grid_of(graph, &numbers, OpKind::DequantizeLinear);
  if (!own || !grid || own->zero_point != 0 || !numbers.input(0)) return false;
  if (!is_about(grid->scale * static_cast<float>(grid->zero_point), kHalfWidth) ||
      !is_about(own->scale * 2 * kHalfWidth, grid->scale))
    return false;
  const int top = 2 * grid->zero_point;
  const Node* clip = clip_of(graph, gate, *numbers.input(0));
  if (!clip) return gate.input(0) == numbers.input(0) && top >= kLastCode;
  const Tensor* high = graph.constant(clip->input(2));
  return !clip->input(1) && high && high->type() == DataType::UInt8 && high->element_count() == 1 &&
         high->data<uint8_t>()[0] == top;
}

void add_gate(const Node& numbers, const Gated& gated, const Grid& grid, const Graph& graph, NameSource& names,
              GraphPatch& patch) {
  const auto constant = [&](const std::string& wish, DataType type, auto number) {
    Tensor tensor(type, Shape{});
    tensor.mutable_data<decltype(number)>()[0] = number;
    patch.add_initializers.emplace_back(names.fresh(wish), std::move(tensor));
    return patch.add_initializers.back().first;
  };
  const std::string base = graph.value(gated.output).name;
  std::string codes = graph.value(*numbers.input(0)).name;
  const int top = 2 * grid.zero_point;
  if (top < kLastCode) {
    const std::string clipped = names.fresh(base + "_gate_quantized");
    const std::string high = constant(base + "_gate_high", DataType::UInt8, static_cast<uint8_t>(top));
    patch.add_nodes.push_back({"Clip", names.fresh(base + "_gate_Clip"), {codes, "", high}, {clipped}, {}, ""});
    codes = clipped;
  }
  const std::string gate = names.fresh(base + "_gate");
  const std::string scale = constant(base + "_gate_scale", DataType::Float32, grid.scale / (2 * kHalfWidth));
  const std::string zero = constant(base + "_gate_zero_point", DataType::UInt8, uint8_t{0});
  patch.add_nodes.push_back(
      {"DequantizeLinear", names.fresh(base + "_gate_DequantizeLinear"), {codes, scale, zero}, {gate}, {}, ""});
  patch.add_nodes.push_back(
      {"Mul", names.fresh(base + "_gate_Mul"), {graph.value(gated.input).name, gate}, {base}, {}, ""});
}

}  // namespace

GraphPatch integer_gates(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "write HardSwish as a product of codes";
  NameSource names(graph);
  std::set<NodeId> removed;
  for (const Node& node : graph.nodes()) {
    auto gated = hard_swish(graph, node);
    if (!gated || !reach_factor_one(graph, *gated)) continue;
    const Node* numbers = graph.producer(gated->input);
    const auto grid = grid_of(graph, numbers, OpKind::DequantizeLinear);
    if (!grid || !numbers->input(0) || graph.value(*numbers->input(0)).is_constant ||
        !is_about(grid->scale * static_cast<float>(grid->zero_point), kHalfWidth))
      continue;
    const std::vector<const Node*> inside = nodes_between(graph, gated->input, gated->output);
    const auto is_taken = [&](const Node* inner) { return removed.contains(inner->id); };
    if (inside.empty() || std::ranges::any_of(inside, is_taken)) continue;
    for (const Node* inner : inside) {
      removed.insert(inner->id);
      patch.remove_nodes.push_back(inner->name);
    }
    add_gate(*numbers, *gated, *grid, graph, names, patch);
  }
  return patch;
}

GraphPatch float_gates(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "write products of codes as HardSwish";
  for (const Node& product : graph.nodes()) {
    if (traits_of(graph, product).kind != OpKind::Mul || product.inputs.size() != 2) continue;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const Node *gate = graph.producer(product.inputs[side]), *numbers = graph.producer(product.inputs[1 - side]);
      if (!gate || !numbers || gate == numbers || !makes_gate(graph, *gate, *numbers)) continue;
      if (only_reader(graph, *gate->output(0)) != &product) continue;
      patch.remove_nodes.push_back(gate->name);
      const Node* clip = clip_of(graph, *gate, *numbers->input(0));
      if (clip && only_reader(graph, *clip->output(0)) == gate) patch.remove_nodes.push_back(clip->name);
      patch.add_nodes.push_back({"HardSigmoid",
                                 gate->name + "_HardSigmoid",
                                 {graph.value(*numbers->output(0)).name},
                                 {graph.value(*gate->output(0)).name},
                                 {{"alpha", 1.0F / (2 * kHalfWidth)}, {"beta", 0.5F}},
                                 ""});
      break;
    }
  }
  return patch;
}

void restore_float_gates(Model& model) {
  if (const GraphPatch patch = float_gates(model.graph()); !patch.empty()) apply_patch(model, patch);
}

}  // namespace detent
