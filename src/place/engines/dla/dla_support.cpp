#include "place/engines/dla/dla_support.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ops/clip_bounds.h"
#include "place/engines/dla/dla_layers.h"

namespace detent {
namespace {

using Extents = std::vector<int64_t>;

bool exceeds(const Extents& numbers, int64_t limit) {
  return std::ranges::any_of(numbers, [&](int64_t number) { return number > limit; });
}

// Operators that DLA does not run, with what to write instead.
struct Alternative {
  std::string_view op, text;
};
constexpr std::array kAlternatives{
    Alternative{"GlobalAveragePool",
                "TensorRT's parser makes a Reduce of it, and DLA reduces by MAX alone: write an AveragePool with a "
                "window of 8 x 8 at most"},
    Alternative{"ReduceMean", "DLA reduces by MAX alone: write an AveragePool with a window of 8 x 8 at most"},
    Alternative{"GroupNormalization", "DLA has no such layer: BatchNormalization runs there"},
    Alternative{"InstanceNormalization", "DLA has no such layer: BatchNormalization runs there"},
    Alternative{"LayerNormalization", "DLA has no such layer: BatchNormalization runs there"},
    Alternative{"MatMul", "DLA has no MatrixMultiply: write a 1 x 1 Conv, or a Gemm of two matrices"},
    Alternative{"Flatten", "DLA's Shuffle keeps four dimensions"},
    Alternative{"Squeeze", "DLA's Shuffle keeps four dimensions"},
    Alternative{"Unsqueeze", "DLA's Shuffle keeps four dimensions"},
    Alternative{"Pad", "DLA has no such layer: give the Conv the padding"},
};

std::string no_layer(const Node& node) {
  const auto found = std::ranges::find(kAlternatives, node.op_type, &Alternative::op);
  return found == kAlternatives.end() ? "DLA has no layer for " + node.op_type : std::string(found->text);
}

std::string window_obstacle(const DlaLayer& layer, const Node& node, const Extents& window) {
  const std::string name(layer.layer);
  if (layer.window > 0 && exceeds(window, layer.window))
    return "DLA's " + name + " has windows up to " + std::to_string(layer.window);
  if (layer.stride > 0 && exceeds(node.ints_or("strides", {}), layer.stride))
    return "DLA's " + name + " has strides up to " + std::to_string(layer.stride);
  if (layer.padding >= 0 && exceeds(node.ints_or("pads", {}), layer.padding))
    return "DLA's " + name +
           (layer.padding == 0 ? " takes no padding" : " has padding up to " + std::to_string(layer.padding));
  if (layer.dilation > 0 && exceeds(node.ints_or("dilations", {}), layer.dilation))
    return "DLA's " + name +
           (layer.dilation == 1 ? " takes no dilation" : " has dilations up to " + std::to_string(layer.dilation));
  if (!layer.grouped && node.int_or("group", 1) != 1) return "DLA's " + name + " takes no groups";
  return "";
}

std::string convolution_obstacle(const GraphFacts& facts, const DlaLayer& layer, const Node& node) {
  if (!facts.is_weighted(node.id)) return "DLA needs a constant weight";
  const Shape& weight = facts.weight(node.id).shape();
  if (weight.rank() != 4) return "DLA convolves in two dimensions only";
  const auto window = weight.dims().subspan(2);
  if (weight[0] > kDlaLargestExtent || weight[1] > kDlaLargestExtent) return "DLA has 8192 channels at most";
  return window_obstacle(layer, node, {window.begin(), window.end()});
}

std::string pooling_obstacle(const DlaLayer& layer, const Node& node) {
  const Extents window = node.ints_or("kernel_shape", {});
  if (window.size() != 2) return "DLA pools in two dimensions only";
  if (node.op_type == "AveragePool" && node.int_or("count_include_pad", 0) == 0 && exceeds(node.ints_or("pads", {}), 0))
    return "DLA's average counts padding: count_include_pad must be 1";
  return window_obstacle(layer, node, window);
}

std::string clip_obstacle(const GraphFacts& facts, const Node& node) {
  const auto bounds = clip_bounds(facts.graph(), node);
  const bool fits = bounds && bounds->low() == 0.0F && bounds->high() >= 1.0F && bounds->high() <= 127.0F;
  return fits ? "" : "DLA clips from 0 to a bound between 1 and 127";
}

std::string resize_obstacle(const GraphFacts& facts, const Node& node, CertainShapes& shapes) {
  const std::string mode = node.string_or("mode", "nearest");
  if (mode != "nearest" && mode != "linear") return "DLA's Resize is nearest or linear";
  const std::string places = node.string_or("coordinate_transformation_mode", "half_pixel");
  if (mode == "linear" && places != "half_pixel" && places != "pytorch_half_pixel")
    return "DLA's linear Resize reads at half pixels, and this one is " + places;
  const int64_t most = mode == "nearest" ? 32 : 4;
  const auto before = shapes.of(facts.data_input(node.id)), behind = shapes.of(node.output(0));
  if (!before || !behind || before->size() != 4 || behind->size() != 4) return "";
  for (size_t axis = 0; axis < 4; ++axis) {
    const int64_t from = (*before)[axis], to = (*behind)[axis];
    if (from <= 0 || to <= 0) continue;
    if (to % from != 0 || to / from > (axis < 2 ? 1 : most))
      return "DLA's Resize enlarges height and width by whole factors up to " + std::to_string(most);
  }
  return "";
}

// True where a Slice, Split or Concat writes what the node reads, or reads what it writes.
bool touches_slice_or_concat(const GraphFacts& facts, const Node& node) {
  const auto is_one = [&](const Node* other) {
    return other && (other->op_type == "Slice" || other->op_type == "Split" || other->op_type == "Concat");
  };
  return is_one(facts.producer(facts.data_input(node.id))) ||
         std::ranges::any_of(facts.value(*node.output(0)).uses,
                             [&](const Use& use) { return is_one(&facts.node(use.node)); });
}

std::string axes_obstacle(const GraphFacts& facts, const Node& node, CertainShapes& shapes) {
  const auto rank_of = [&](MaybeValue value) { return shapes.of(value) ? shapes.of(value)->size() : 0U; };
  const size_t before = rank_of(facts.data_input(node.id)), behind = rank_of(node.output(0));
  if (node.op_type == "Concat" && node.int_or("axis", 1) != 1 && !(node.int_or("axis", 1) == -3 && behind == 4))
    return "DLA joins along channels only";
  if (node.op_type == "Transpose" && node.ints_or("perm", {0}).front() != 0)
    return "DLA's Shuffle keeps the batch axis";
  if (node.op_type == "Reshape" && ((before != 0 && before != 4) || (behind != 0 && behind != 4)))
    return "DLA's Shuffle keeps four dimensions";
  if (node.op_type == "Reshape" && touches_slice_or_concat(facts, node))
    return "DLA takes no Reshape next to a Slice or Concat";
  return "";
}

std::string size_obstacle(const GraphFacts& facts, const Node& node, CertainShapes& shapes) {
  for (const MaybeValue value : {facts.data_input(node.id), node.output(0)}) {
    const auto extents = shapes.of(value);
    if (!extents || extents->empty()) continue;
    if (extents->size() != 2 && extents->size() != 4)
      return "DLA takes images of two dimensions: tensors of four, and this has " + std::to_string(extents->size());
    if (extents->front() > kDlaLargestBatch) return "DLA has batches up to 4096";
    if (exceeds({extents->begin() + 1, extents->end()}, kDlaLargestExtent)) return "DLA has extents up to 8192";
  }
  return "";
}

bool is_matrix_product(const GraphFacts& facts, const Node& node, CertainShapes& shapes) {
  const auto data = shapes.of(facts.data_input(node.id));
  return node.op_type == "MatMul" && facts.is_weighted(node.id) && facts.weight_slot(node.id) == 1 && data &&
         data->size() == 2;
}

std::string form_obstacle(const GraphFacts& facts, const DlaLayer& layer, const Node& node, CertainShapes& shapes) {
  const std::string& op = node.op_type;
  if (op == "Conv" || op == "ConvTranspose") return convolution_obstacle(facts, layer, node);
  if (op == "MaxPool" || op == "AveragePool") return pooling_obstacle(layer, node);
  if (op == "Gemm") return facts.is_weighted(node.id) ? "" : "DLA needs a constant weight";
  if (op == "Clip") return clip_obstacle(facts, node);
  if (op == "Resize") return resize_obstacle(facts, node, shapes);
  if (op == "PRelu") return facts.is_constant(node.input(1)) ? "" : "DLA needs a constant slope";
  return axes_obstacle(facts, node, shapes);
}

}  // namespace

bool is_dla_candidate(const GraphFacts& facts, const Node& node) {
  const bool writes_float =
      std::ranges::any_of(node.outputs, [&](MaybeValue output) { return facts.is_float(output); });
  return writes_float && std::ranges::any_of(facts.data_slots(node.id), [&](int slot) {
           return facts.is_float(node.input(slot)) && !facts.is_constant(node.input(slot));
         });
}

std::string dla_obstacle(const GraphFacts& facts, const Node& node, CertainShapes& shapes) {
  if (facts.is_foreign(node.id)) return "plugins and operators of other domains run on the GPU";
  if (is_matrix_product(facts, node, shapes)) return size_obstacle(facts, node, shapes);
  const DlaLayer* layer = find_dla_layer(node.op_type);
  if (!layer) return no_layer(node);
  if (std::string obstacle = form_obstacle(facts, *layer, node, shapes); !obstacle.empty()) return obstacle;
  return size_obstacle(facts, node, shapes);
}

}  // namespace detent
