#include "place/engines/tensorrt/kernels.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/text.h"
#include "place/draft/flow.h"

namespace detent {
namespace {

using Groups = KernelRow::Groups;
using Condition = KernelRow::Condition;

constexpr std::string_view kHopper = "TensorRT 10.6 on SM90";
constexpr std::string_view kDequantizes = "runs in float and dequantizes its weights on every run";
constexpr std::string_view kNoBuild = "does not build: TensorRT finds no implementation";
constexpr std::string_view kSlow = "writes floats, in a kernel slower than that of FP16";

bool multiplies_channels(const GroupShape& shape) { return shape.in != shape.out; }

/// Groups of 2, 3, 6, 10, 12, 20 and 24 channels do not build, nor 4 to 8 and 8 to 16; 4, 8, 16, 32, 64, 16 to 32 and
/// 32 to 16 do. That 48 does not is an assumption.
bool are_odd(const GroupShape& shape) {
  constexpr int64_t kVector = 32;
  const auto fits = [](int64_t channels) { return channels == kVector / 2 || channels % kVector == 0; };
  if (fits(shape.in) && fits(shape.out)) return false;
  return shape.in != shape.out || (shape.in != 4 && shape.in != 8);
}

bool are_small(const GroupShape& shape) { return std::min(shape.in, shape.out) < 32; }

// The rows, special ones first. Measured with tests/engines/tensorrt: kernels.csv there has what the engine did with
// probes of each row and of its borders.
constexpr std::array kRows{
    KernelRow{.layer = "a ConvTranspose with groups",
              .op = "ConvTranspose",
              .groups = Groups::Several,
              .otherwise = kDequantizes,
              .measured = kHopper},
    KernelRow{.layer = "a depthwise Conv with more channels behind it than in front",
              .op = "Conv",
              .groups = Groups::Depthwise,
              .sizes = multiplies_channels,
              .otherwise = kNoBuild,
              .measured = kHopper},
    KernelRow{.layer = "a depthwise 3-D Conv",
              .op = "Conv",
              .axes = 3,
              .groups = Groups::Depthwise,
              .otherwise = kDequantizes,
              .measured = kHopper},
    KernelRow{.layer = "a depthwise Conv",
              .op = "Conv",
              .axes = 2,
              .groups = Groups::Depthwise,
              .condition = Condition::Closed,
              .activations = "Relu Clip SiLU",
              .otherwise = kSlow,
              .measured = kHopper},
    KernelRow{.layer = "a depthwise Conv",
              .op = "Conv",
              .groups = Groups::Depthwise,
              .condition = Condition::Closed,
              .activations = "Relu Clip",
              .otherwise = kSlow,
              .measured = kHopper},
    KernelRow{.layer = "a Conv with groups of a number of channels other than 4, 8, 16 and multiples of 32",
              .op = "Conv",
              .groups = Groups::Several,
              .sizes = are_odd,
              .otherwise = kNoBuild,
              .measured = kHopper},
    KernelRow{.layer = "a Conv with groups of fewer than 32 channels",
              .op = "Conv",
              .groups = Groups::Several,
              .sizes = are_small,
              .condition = Condition::Closed,
              .activations = "Relu Clip",
              .otherwise = kDequantizes,
              .measured = kHopper},
    KernelRow{.layer = "a 3-D Conv",
              .op = "Conv",
              .axes = 3,
              .condition = Condition::Closed,
              .activations = "Relu Clip",
              .otherwise = kDequantizes,
              .measured = kHopper},
    KernelRow{.layer = "a 3-D ConvTranspose",
              .op = "ConvTranspose",
              .axes = 3,
              .condition = Condition::Closed,
              .activations = "Relu Clip",
              .otherwise = kDequantizes,
              .measured = kHopper},
};

GroupShape group_shape(const GraphFacts& facts, const Node& layer) {
  const Shape& weight = facts.weight(layer.id).shape();
  const int64_t groups = std::max<int64_t>(1, layer.int_or("group", 1));
  // Conv: [out, in / groups, ...]; ConvTranspose: [in, out / groups, ...].
  const bool transposed = facts.kind(layer.id) == OpKind::ConvTranspose;
  const int64_t divided = weight[0] / groups;
  return transposed ? GroupShape{divided, weight[1], groups} : GroupShape{weight[1], divided, groups};
}

bool describes(const KernelRow& row, std::string_view op, size_t axes, const GroupShape& shape) {
  const bool grouped =
      row.groups == Groups::Any || (shape.groups > 1 && (row.groups == Groups::Several || shape.in == 1));
  return row.op == op && (row.axes == 0 || static_cast<size_t>(row.axes) == axes) && grouped &&
         (!row.sizes || row.sizes(shape));
}

/// Returns the word for an activation that runs in the layer's kernel by rule R2.
std::string activation_word(const GraphFacts& facts, NodeId activation) {
  const auto gated = gated_activation(facts, activation);
  if (!gated) return facts.node(activation).op_type;
  const bool silu = gated->nodes.size() == 2 && facts.kind(gated->nodes.front()) == OpKind::Sigmoid;
  return silu ? "SiLU" : "a product with a gate";
}

/// True for an Add of two activations that is part of the kernel which writes the value: its other input has a pair.
bool is_residual_add(const PlacementDraft& draft, const Use& use) {
  const GraphFacts& facts = draft.facts();
  return facts.kind(use.node) == OpKind::Add && facts.data_slots(use.node).size() == 2 && !draft.is_out(use.node) &&
         draft.is_pair(use.node, 1 - use.slot);
}

/// True for an operator that has a kernel on codes where a pair stands in front of it.
bool takes_codes(const GraphFacts& facts, NodeId node) {
  switch (facts.kind(node)) {
    case OpKind::LayerNorm:
    case OpKind::Softmax: return false;
    default: return true;
  }
}

/// True when every reader of the value takes codes, also behind residual Adds and operators that move data.
bool reads_codes_only(const PlacementDraft& draft, ValueId value) {
  const GraphFacts& facts = draft.facts();
  std::vector<ValueId> open{value};
  std::set<ValueId> seen{value};
  const auto go_on = [&](MaybeValue next) {
    if (facts.is_float(next) && seen.insert(*next).second) open.push_back(*next);
  };
  while (!open.empty()) {
    const Value& current = facts.value(open.back());
    open.pop_back();
    if (draft.has_output_pair(current.id)) continue;
    if (current.is_output || current.uses.empty()) return false;
    for (const Use& use : current.uses) {
      if (use.slot < 0) return false;
      if (facts.kind(use.node) == OpKind::ShapeOf) continue;
      if (draft.is_pair(use.node, use.slot)) {
        if (!takes_codes(facts, use.node)) return false;
      } else if (const std::vector<ValueId> behind = values_behind(facts, draft, use); !behind.empty()) {
        for (const ValueId next : behind) go_on(next);
      } else if (is_residual_add(draft, use)) {
        go_on(fused_output(facts, draft, use.node));
      } else if (is_fused_pointwise(facts, draft, use.node)) {
        go_on(facts.node(use.node).output(0));
      } else {
        return false;
      }
    }
  }
  return true;
}

std::string in_words(std::string_view activations) {
  std::string words;
  for (const char letter : activations) words += letter == ' ' ? std::string(", ") : std::string(1, letter);
  return words;
}

}  // namespace

const KernelRow* find_kernel_row(const GraphFacts& facts, NodeId id) {
  if (!facts.is_weighted(id)) return nullptr;
  const OpKind kind = facts.kind(id);
  if (kind != OpKind::Conv && kind != OpKind::ConvTranspose) return nullptr;
  const Node& layer = facts.node(id);
  const size_t axes = facts.weight(id).shape().rank() - 2;
  const GroupShape shape = group_shape(facts, layer);
  const auto found =
      std::ranges::find_if(kRows, [&](const KernelRow& row) { return describes(row, layer.op_type, axes, shape); });
  return found == kRows.end() ? nullptr : &*found;
}

bool is_float_depthwise(const PlacementDraft& draft, NodeId layer) {
  const KernelRow* row = find_kernel_row(draft.facts(), layer);
  return row && row->groups == Groups::Depthwise && draft.is_out(layer);
}

std::string tensorrt_kernel_obstacle(const PlacementDraft& draft, NodeId layer, std::string_view codes) {
  const GraphFacts& facts = draft.facts();
  const KernelRow* row = find_kernel_row(facts, layer);
  if (!row) return "";
  const std::string source = std::string(row->otherwise) + " (" + std::string(row->measured) + ")";
  if (row->condition == Condition::Never) return std::string(row->layer) + " " + source;
  const std::string only = fmt::format("{} is {} only ", row->layer, codes);
  const MaybeNode activation = fused_activation(facts, draft, facts.node(layer).output(0));
  if (activation && !has_word(row->activations, activation_word(facts, *activation)))
    return only + "with " + in_words(row->activations) + " or nothing behind it, not with " +
           activation_word(facts, *activation) + ": else it " + source;
  if (!reads_codes_only(draft, *fused_output(facts, draft, layer)))
    return only + "where all that reads it takes codes: else it " + source;
  return "";
}

}  // namespace detent
