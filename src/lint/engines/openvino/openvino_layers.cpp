#include "lint/engines/openvino/openvino_layers.h"

#include <algorithm>
#include <cmath>

#include "core/float_type.h"
#include "place/engines/openvino/openvino_kernels.h"

namespace detent {
namespace {

/// Returns why the engine makes no integer kernel of a pair; empty when it does.
std::string refusal_of(const QdqNode& node, const Target& target) {
  if (!node.scale_constant) return "has a scale that is computed at run time";
  if (!std::ranges::all_of(node.scales, [](float scale) { return std::isfinite(scale) && scale > 0; }))
    return "has a scale that is not positive";
  if (is_half(node.scale_type)) return "has a 16-bit scale";
  const ActivationType* type = target.find_activation(node.codes);
  if (!type || !type->without_kernels.empty()) return "is of type " + std::string(name_of(node.codes));
  return "";
}

}  // namespace

bool is_symmetric(const QdqNode& node) {
  return std::ranges::all_of(node.zero_points, [](int64_t point) { return point == 0; });
}

namespace {

/// Returns the first of such nodes between the layer and the pair in front; nullptr without one.
template <typename IsSuch>
const Node* find_between(const PairView& view, NodeId layer, const IsSuch& is_such) {
  int slot = view.data_slot(layer);
  const Node* node = &view.node(layer);
  while (!view.operand(node->id, slot)) {
    const Node* before = view.graph().producer(node->input(slot));
    if (!before || view.facts().data_slots(before->id).size() != 1) return nullptr;
    if (is_such(*before)) return before;
    node = before, slot = view.facts().data_slots(before->id).front();
  }
  return nullptr;
}

}  // namespace

std::string openvino_obstacle(const PairView& view, NodeId layer) {
  const auto data = view.pairs_in_front(layer, view.data_slot(layer), takes_extremes);
  const QuantizedOperand* weight = view.weight(layer);
  const std::string input = view.value(*view.facts().data_input(layer)).name;
  if (data.empty() && !weight) return "neither its input nor its weight carries a pair";
  if (data.empty()) return "its input '" + input + "' carries no pair";
  if (!weight) return "its weight carries no pair";
  if (const Node* copy = find_between(view, layer, copies_floats))
    return view.facts().describe(copy->id) + " between it and the pair moves floats only";
  if (const std::string refusal = openvino_kernel_obstacle(view.facts(), view.node(layer)); !refusal.empty())
    return std::string(view.target().engine.title) + " " + refusal;
  if (loses_pair_to_strides(view.found(), view.node(layer)))
    return std::string(view.target().engine.title) + " moves its strides in front of the pair";
  const Node* pad = find_between(view, layer, [&](const Node& node) { return pads_floats(view.facts(), node); });
  const bool deconvolution = view.facts().kind(layer) == OpKind::ConvTranspose;
  const bool convolution = view.facts().kind(layer) == OpKind::Conv;
  for (const QuantizedOperand* pair : data) {
    const QdqNode& grid = view.grid(*pair);
    std::string refusal = refusal_of(grid, view.target());
    if (refusal.empty() && deconvolution && !is_symmetric(grid))
      refusal = "has a zero point other than 0, with which a ConvTranspose runs in float";
    if (refusal.empty() && convolution && !is_symmetric(grid) && concat_of_rows(view.facts(), view.node(layer), 0))
      refusal = "has a zero point other than 0, with which a Conv behind a Concat of another axis runs in float";
    if (refusal.empty() && pad && !is_symmetric(grid))
      refusal = "has a zero point other than 0, with which no codes pass through " + view.facts().describe(pad->id);
    if (!refusal.empty()) return "the pair of its input '" + input + "' " + refusal;
  }
  const QdqNode& grid = view.grid(*weight);
  if (deconvolution && !is_symmetric(grid)) return "the zero point of its weight is not 0";
  return std::ranges::all_of(grid.scales, [](float scale) { return std::isfinite(scale) && scale > 0; })
             ? ""
             : "the pair of its weight has a scale that is not positive";
}

}  // namespace detent
